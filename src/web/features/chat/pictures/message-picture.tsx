import { type ReactNode, useState } from 'react';
import type { PictureSize } from '#web/sync/outbox-storage.ts';
import type { RoomMessage } from '#web/sync/room.ts';
import { LocalPicture } from './local-picture.tsx';
import { frameOf } from './picture-size.ts';
import { pictureName } from './picture-file.ts';
import { SentPicture } from './sent-picture.tsx';
import { UploadBar } from './upload-bar.tsx';
import styles from './message-picture.module.css';

interface Props {
  message: RoomMessage;
  tabIndex: number;
  onEnlarge: (id: string) => void;
}

/** The picture of a message: the local file until the server's version has loaded. */
export function MessagePicture({ message, tabIndex, onEnlarge }: Props) {
  const { id, image, imageUrl, unsentPicture, progress, delivery } = message;
  // Keeps the same element, so that the picture does not flicker when its message is acknowledged.
  const [chosen] = useState(unsentPicture);
  const [arrived, setArrived] = useState(false);
  const sending = delivery === 'sending';
  const local = unsentPicture ?? chosen;
  return (
    <Frame size={image ?? local?.size ?? null}>
      {local && !arrived && (
        <div
          className={styles.local}
          role="img"
          aria-label={pictureName(local.alt)}
          aria-hidden={image !== null}
          aria-busy={sending}
          data-dimmed={sending || undefined}
        >
          <LocalPicture bytes={local.bytes} size={local.size} />
        </div>
      )}
      {image && imageUrl && (
        <SentPicture
          image={image}
          url={imageUrl}
          covered={local !== null}
          tabIndex={tabIndex}
          onArrived={() => setArrived(true)}
          onEnlarge={() => onEnlarge(id)}
        />
      )}
      {progress !== null && sending && <UploadBar share={progress} />}
    </Frame>
  );
}

function Frame({ size, children }: { size: PictureSize | null; children: ReactNode }) {
  const { width, height } = frameOf(size);
  return (
    <div className={styles.frame} style={{ '--width': `${width}px`, '--ratio': width / height }}>
      {children}
    </div>
  );
}
