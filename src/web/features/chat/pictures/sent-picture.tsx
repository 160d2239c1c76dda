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
  /** Whether a better preview than the placeholder is visible below until the picture loads. */
  covered: boolean;
  tabIndex: number;
  onArrived: () => void;
  onEnlarge: () => void;
}

/** Chooses the small version if it is sharp enough, or if the animation must not play. */
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
  // Chosen once: a new source after a move to another screen would flicker.
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
        // Safari does not focus a clicked button, and the focus must return here when the overlay closes.
        currentTarget.focus({ preventScroll: true });
        onEnlarge();
      }}
    >
      {state === 'loading' && !covered && <PicturePlaceholder hash={image.placeholder} />}
      <img
        ref={(element) => {
          // A cached picture appears without a fade.
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
