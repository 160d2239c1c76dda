import { type Ref, useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import { usePicture } from '#web/data/pictures.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import styles from './enlarged-picture.module.css';

interface Props {
  image: Picture;
  ref: Ref<HTMLDivElement>;
  style: React.CSSProperties;
  moving: boolean;
}

/** Shows the scaled-up small version until the full version has loaded over it. */
export function EnlargedPicture({ image, ref, style, moving }: Props) {
  const [drawing, setDrawing] = useState<'waiting' | 'drawn' | 'failed'>('waiting');
  const [playing, setPlaying] = useState(
    () => !image.animated || !matchMedia('(prefers-reduced-motion: reduce)').matches,
  );
  const thumb = usePicture(image.thumbUrl);
  const sharp = usePicture(playing ? image.imageUrl : image.thumbUrl);
  const failed = sharp.state === 'failed' || drawing === 'failed';
  const size = { '--width': image.width, '--height': image.height };
  return (
    <div
      ref={ref}
      className={styles.picture}
      style={{ ...style, ...size }}
      data-moving={moving || undefined}
    >
      {sharp.state === 'gone' ? (
        <p className={styles.missing} role="status">
          <Icon name="picture" />
          This picture is no longer available
        </p>
      ) : (
        <>
          <img className={styles.image} src={thumb.src} alt="" draggable={false} />
          {playing && (
            <img
              className={styles.image}
              src={sharp.src}
              alt={
                image.alt ||
                (image.pages ? 'First page of the PDF' : 'Picture without a description')
              }
              draggable={false}
              data-waiting={drawing !== 'drawn' || undefined}
              onLoad={() => setDrawing('drawn')}
              onError={() => setDrawing('failed')}
            />
          )}
        </>
      )}
      {failed && (
        <p className={styles.failed} role="status">
          The full-size picture didn’t load. Please check your connection.
        </p>
      )}
      {!playing && (
        <div className={styles.play}>
          <Button
            variant="primary"
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => setPlaying(true)}
          >
            Play
          </Button>
        </div>
      )}
    </div>
  );
}
