import { useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import { retryPicture, usePicture } from '#web/data/pictures.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { frameOf, thumbWidth } from './picture-size.ts';
import { pictureName } from './picture-file.ts';
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

/** The small version where it is sharp enough and where an animation must stand still. */
function sourceOf(image: Picture, url: string): string {
  if (image.animated) {
    return matchMedia('(prefers-reduced-motion: reduce)').matches ? image.thumbUrl : url;
  }
  const { width } = frameOf(image);
  return thumbWidth(image) >= Math.min(image.width, width * devicePixelRatio)
    ? image.thumbUrl
    : url;
}

export function SentPicture(props: Props) {
  const { image, url, covered, tabIndex, onArrived, onEnlarge } = props;
  // Another one would flicker: a window that moves to another screen keeps it.
  const [source] = useState(() => sourceOf(image, url));
  const picture = usePicture(source);
  const [drawn, setDrawn] = useState(false);
  const [broken, setBroken] = useState(false);
  const state = broken
    ? 'failed'
    : picture.state === 'loaded' && !drawn
      ? 'loading'
      : picture.state;
  const arrive = () => {
    setDrawn(true);
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
              setBroken(false);
              retryPicture(source);
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
      <img
        ref={(element) => {
          // It was here already: nothing fades in.
          if (!drawn && element?.complete && element.naturalWidth > 0) arrive();
        }}
        className={styles.image}
        src={picture.src}
        width={image.width}
        height={image.height}
        decoding="async"
        draggable={false}
        alt=""
        onLoad={arrive}
        onError={() => setBroken(true)}
      />
    </button>
  );
}
