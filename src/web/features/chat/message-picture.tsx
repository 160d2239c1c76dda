import { useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import type { RoomMessage } from '#web/sync/room.ts';
import { LocalPicture } from './local-picture.tsx';
import { frameOf } from './picture-frame.ts';
import { pictureName } from './picture-name.ts';
import { SentPicture } from './sent-picture.tsx';
import { UploadBar } from './upload-bar.tsx';
import styles from './message-picture.module.css';

interface Props {
  message: RoomMessage;
  tabIndex: number;
  onEnlarge: (id: string) => void;
}

/** A message's picture in its place: from this browser until the log has it, then from the server. */
export function MessagePicture({ message, tabIndex, onEnlarge }: Props) {
  const { id, image, imageUrl, unsentPicture, progress, delivery } = message;
  // It stays until the server's own is there, so that nothing flickers.
  const [chosen] = useState(unsentPicture);
  if (image && imageUrl) {
    return (
      <Frame image={image}>
        <SentPicture
          image={image}
          url={imageUrl}
          meanwhile={chosen && <LocalPicture bytes={chosen.bytes} size={chosen.size} />}
          tabIndex={tabIndex}
          onEnlarge={() => onEnlarge(id)}
        />
      </Frame>
    );
  }
  if (!unsentPicture) return null;
  const { bytes, size, alt } = unsentPicture;
  return (
    <Frame image={size}>
      <div
        className={styles.unsent}
        role="img"
        aria-label={pictureName(alt)}
        data-dimmed={delivery === 'sending' || undefined}
      >
        <LocalPicture bytes={bytes} size={size} />
      </div>
      {progress !== null && delivery === 'sending' && <UploadBar share={progress} />}
    </Frame>
  );
}

function Frame({
  image,
  children,
}: {
  image: Pick<Picture, 'width' | 'height'> | null;
  children: React.ReactNode;
}) {
  const { width, height } = frameOf(image);
  return (
    <div className={styles.frame} style={{ '--width': `${width}px`, '--ratio': width / height }}>
      {children}
    </div>
  );
}
