import { useLayoutEffect, useRef, useState } from 'react';
import type { PictureSize } from '#web/sync/outbox-storage.ts';
import { Icon } from '#web/ui/icon.tsx';
import styles from './local-picture.module.css';

interface Props {
  /** Null if the browser did not keep the file. */
  bytes: Blob | null;
  /** Null if this browser cannot decode the picture. */
  size: PictureSize | null;
}

/** A picture that only this browser has. Shows a plain tile if the browser cannot decode it. */
export function LocalPicture({ bytes, size }: Props) {
  const image = useRef<HTMLImageElement>(null);
  const [broken, setBroken] = useState(false);
  useLayoutEffect(() => {
    if (!bytes || !image.current) return;
    const url = URL.createObjectURL(bytes);
    image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [bytes]);
  if (!bytes || !size || broken) {
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
      alt=""
      draggable={false}
      onError={() => setBroken(true)}
    />
  );
}
