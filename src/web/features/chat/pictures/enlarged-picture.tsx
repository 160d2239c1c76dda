import { type Ref, useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import { usePicture } from '#web/data/pictures.ts';
import { addDescription } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { choosePictureGround } from '#web/ui/picture-ground.ts';
import { Status } from '#web/ui/status.tsx';
import styles from './enlarged-picture.module.css';

interface Props {
  image: Picture;
  ref: Ref<HTMLDivElement>;
  style: React.CSSProperties;
  moving: boolean;
}

/** Shows the scaled-up small version until the full version has loaded over it. */
export function EnlargedPicture({ image, ref, style, moving }: Props) {
  const [drawState, setDrawState] = useState<'waiting' | 'drawn' | 'failed'>('waiting');
  const [isPlaying, setIsPlaying] = useState(
    () => !image.animated || !matchMedia('(prefers-reduced-motion: reduce)').matches,
  );
  const thumbnail = usePicture(image.thumbUrl);
  const fullPicture = usePicture(isPlaying ? image.imageUrl : image.thumbUrl);
  const hasFailed = fullPicture.state === 'failed' || drawState === 'failed';
  const ground = choosePictureGround(image.placeholder);
  const size = { '--width': image.width, '--height': image.height };
  return (
    <div
      ref={ref}
      className={styles.picture}
      style={{ ...style, ...size }}
      data-moving={moving || undefined}
    >
      {fullPicture.state !== 'gone' && (
        <>
          <img
            className={styles.image}
            data-ground={thumbnail.src && ground}
            src={thumbnail.src}
            alt=""
            draggable={false}
          />
          {isPlaying && (
            <img
              className={styles.image}
              data-ground={ground}
              src={fullPicture.src}
              alt={
                image.pages
                  ? addDescription(getText('chat.pdf.firstPage'), image.alt)
                  : image.alt || getText('chat.picture.undescribed')
              }
              draggable={false}
              data-waiting={drawState !== 'drawn' || undefined}
              onLoad={() => setDrawState('drawn')}
              onError={() => setDrawState('failed')}
            />
          )}
        </>
      )}
      <Status>
        {fullPicture.state === 'gone' && (
          <p className={styles.missing}>
            <Icon name="picture" />
            {getText('chat.picture.gone')}
          </p>
        )}
        {hasFailed && <p className={styles.failed}>{getText('chat.picture.fullSizeFailed')}</p>}
      </Status>
      {!isPlaying && (
        <div className={styles.play}>
          <Button
            variant="primary"
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => setIsPlaying(true)}
          >
            {getText('chat.picture.play')}
          </Button>
        </div>
      )}
    </div>
  );
}
