import { useLayoutEffect, useRef, useState } from 'react';
import { getText } from '#web/get-text.ts';
import type { PictureSize } from '#web/sync/outbox/outbox-storage.ts';
import { isPdfFile } from '#web/sync/uploads/pdf-file.ts';
import { Icon } from '#web/ui/icon.tsx';
import styles from './local-picture.module.css';

interface Props {
  /** Null if the browser did not keep the file. */
  bytes: Blob | null;
  /** Null if this browser cannot decode the picture. */
  size: PictureSize | null;
}

/** A picture or a PDF that only this browser has. Shows a plain tile if the browser cannot decode it. */
export function LocalPicture({ bytes, size }: Props) {
  const image = useRef<HTMLImageElement>(null);
  const [isBroken, setIsBroken] = useState(false);
  useLayoutEffect(() => {
    if (!bytes || !image.current) return;
    const url = URL.createObjectURL(bytes);
    image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [bytes]);
  if (isPdfFile(bytes)) {
    return (
      <span className={styles.tile}>
        <span className={styles.document}>
          <Icon name="document" size={28} />
          {getText('chat.pdf.name')}
        </span>
      </span>
    );
  }
  if (!bytes || !size || isBroken) {
    return (
      <span className={styles.tile}>
        <Icon name="picture" size={28} />
      </span>
    );
  }
  return (
    <img
      ref={image}
      className={styles.image}
      data-ground="unknown"
      alt=""
      draggable={false}
      onError={() => setIsBroken(true)}
    />
  );
}

/** The upload progress at the bottom of a picture. */
export function UploadBar({ share, isPdf }: { share: number; isPdf: boolean }) {
  return (
    <span
      className={styles.bar}
      style={{ '--share': share }}
      role="progressbar"
      aria-label={isPdf ? getText('chat.upload.pdf') : getText('chat.upload.picture')}
      aria-valuenow={Math.round(share * 100)}
    />
  );
}
