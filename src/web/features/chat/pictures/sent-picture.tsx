import { useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { frameOf, thumbWidth } from './picture-size.ts';
import { pictureName, type LoadFailure, findLoadFailure } from './picture-file.ts';
import { PicturePlaceholder } from './picture-placeholder.tsx';
import styles from './sent-picture.module.css';

interface Props {
  image: Picture;
  url: string;
  /** Something better than a placeholder is seen below until it has come. */
  covered: boolean;
  tabIndex: number;
  onArrived: () => void;
  onEnlarge: () => void;
}

type State = 'loading' | 'loaded' | LoadFailure;

export function SentPicture(props: Props) {
  const { image, url, covered, tabIndex, onArrived, onEnlarge } = props;
  const [state, setState] = useState<State>('loading');
  const [attempt, setAttempt] = useState(0);
  const { width } = frameOf(image);
  const arrive = () => {
    setState('loaded');
    onArrived();
  };
  if (state === 'gone' || state === 'failed') {
    return (
      <div className={styles.missing}>
        <Icon name="picture" />
        {state === 'gone' ? (
          <p>This picture is no longer available</p>
        ) : (
          <Button
            variant="plain"
            onClick={() => {
              setAttempt(attempt + 1);
              setState('loading');
            }}
          >
            Didn’t load. Retry
          </Button>
        )}
      </div>
    );
  }
  return (
    <button
      type="button"
      className={styles.picture}
      aria-label={pictureName(image.alt)}
      aria-haspopup="dialog"
      tabIndex={tabIndex}
      data-state={state}
      data-covered={(state === 'loading' && covered) || undefined}
      onClick={({ currentTarget }) => {
        // Not every browser gives it to what is clicked, and here it has to come back.
        currentTarget.focus({ preventScroll: true });
        onEnlarge();
      }}
    >
      {state === 'loading' && !covered && <PicturePlaceholder hash={image.placeholder} />}
      <picture>
        {image.animated && (
          <source media="(prefers-reduced-motion: reduce)" srcSet={image.thumbUrl} />
        )}
        <img
          key={attempt}
          ref={(element) => {
            // It was here already: nothing fades in.
            if (element?.complete && element.naturalWidth > 0) arrive();
          }}
          className={styles.image}
          src={image.animated ? url : image.thumbUrl}
          srcSet={
            image.animated
              ? undefined
              : `${image.thumbUrl} ${thumbWidth(image)}w, ${url} ${image.width}w`
          }
          sizes={`${width}px`}
          width={image.width}
          height={image.height}
          loading="lazy"
          decoding="async"
          draggable={false}
          alt=""
          onLoad={arrive}
          onError={() => void findLoadFailure(url).then(setState)}
        />
      </picture>
    </button>
  );
}
