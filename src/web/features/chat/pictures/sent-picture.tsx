import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import { retryPicture, usePicture } from '#web/data/pictures.ts';
import { getText } from '#web/get-text.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { choosePictureGround } from '#web/ui/picture-ground.ts';
import { useStore } from '#web/use-store.ts';
import { toFramedSize, toThumbWidth } from './picture-size.ts';
import styles from './sent-picture.module.css';

const placeholders = createLazyModule(() => import('./paint-placeholder.ts'));

interface Props {
  image: Picture;
  /** The accessible name. */
  label: string;
  /** A tile is never larger than the small version. */
  isTile: boolean;
  /** Whether a better preview than the placeholder is visible below until the picture loads. */
  hasPreview: boolean;
  tabIndex: number;
  onLoaded: () => void;
  onEnlarge: () => void;
}

/** Chooses the small version if it is sharp enough, or if the animation must not play. */
function chooseSource(image: Picture, isTile: boolean): string {
  const { imageUrl, thumbUrl } = image;
  if (image.animated) {
    return matchMedia('(prefers-reduced-motion: reduce)').matches ? thumbUrl : imageUrl;
  }
  if (isTile) return thumbUrl;
  const { width } = toFramedSize(image);
  return toThumbWidth(image) >= Math.min(image.width, width * devicePixelRatio)
    ? thumbUrl
    : imageUrl;
}

export function SentPicture(props: Props) {
  const { image, label, isTile, hasPreview, tabIndex, onLoaded, onEnlarge } = props;
  // Chosen once: a new source after a move to another screen would flicker.
  const [source] = useState(() => chooseSource(image, isTile));
  const picture = usePicture(source);
  const [isDrawn, setDrawn] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const isDrawing = picture.state === 'loaded' && !isDrawn;
  const stateOfFile = isDrawing ? 'loading' : picture.state;
  const state = isBroken ? 'failed' : stateOfFile;
  const finishLoading = () => {
    setDrawn(true);
    onLoaded();
  };
  if (state === 'gone' || state === 'failed') {
    return (
      <div className={styles.missing}>
        <Icon name="picture" />
        {state === 'gone' ? (
          <p>{getText('chat.picture.gone')}</p>
        ) : (
          <Button
            variant="plain"
            onClick={() => {
              setBroken(false);
              retryPicture(source);
            }}
          >
            {getText('chat.picture.retry')}
          </Button>
        )}
      </div>
    );
  }
  return (
    <button
      type="button"
      className={styles.picture}
      aria-label={label}
      aria-haspopup="dialog"
      tabIndex={tabIndex}
      data-picture={state}
      data-covered={(state === 'loading' && hasPreview) || undefined}
      onClick={({ currentTarget }) => {
        // Safari does not focus a clicked button, and the focus must return here when the overlay closes.
        currentTarget.focus({ preventScroll: true });
        onEnlarge();
      }}
    >
      {state === 'loading' && !hasPreview && <PicturePlaceholder hash={image.placeholder} />}
      <img
        ref={(element) => {
          // A cached picture appears without a fade.
          if (!isDrawn && element?.complete && element.naturalWidth > 0) finishLoading();
        }}
        className={styles.image}
        data-ground={choosePictureGround(image.placeholder)}
        src={picture.src}
        width={image.width}
        height={image.height}
        decoding="async"
        draggable={false}
        alt=""
        onLoad={finishLoading}
        onError={() => setBroken(true)}
      />
    </button>
  );
}

/** A blurred placeholder of a few pixels, shown until the picture loads. */
function PicturePlaceholder({ hash }: { hash: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const code = useStore(placeholders);
  useEffect(() => void placeholders.load(), []);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element && hash) code?.paintPlaceholder(element, hash);
  }, [code, hash]);
  return <canvas ref={canvas} className="cover" aria-hidden="true" />;
}
