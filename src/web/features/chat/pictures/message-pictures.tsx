import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import { toImageCounts } from '#contract/pdf.ts';
import { addDescription, countImages } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { OutboxPicture } from '#web/sync/outbox/outbox-storage.ts';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { toFramedSize } from './picture-size.ts';
import { Icon } from '#web/ui/icon.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { isPdfFile } from '#web/sync/uploads/pdf-file.ts';
import { toImageLabel } from '../messages/message-summary.ts';
import { pdfName } from './save-image.ts';
import { SentPicture } from './sent-picture.tsx';
import styles from './message-pictures.module.css';

const localPictureCode = createPreloadedModule(() => import('./local-picture.tsx'));
const uploadNote = createPreloadedModule(() => import('./upload-note.tsx'));

interface Props {
  message: RoomMessage;
  isOffline: boolean;
  tabIndex: number;
  onEnlarge: (imageUrl: string) => void;
  /** Stops the upload. */
  onCancel: () => void;
}

/**
 * The pictures of a message: the local files until the server's versions have loaded. A single picture keeps its
 * proportions, a single PDF is a row, and several fill a grid. All reserve their space before anything loads.
 */
export function MessagePictures({ message, isOffline, tabIndex, onEnlarge, onCancel }: Props) {
  const { images, unsentPictures, progress, delivery, retryAt } = message;
  // Keeps the same elements, so that nothing flickers when the message is acknowledged.
  const [localPictures, setLocalPictures] = useState(unsentPictures);
  if (unsentPictures.length > 0 && unsentPictures !== localPictures) {
    setLocalPictures(unsentPictures);
  }
  const count = images.length || localPictures.length;
  const { pdfCount = 0 } = toImageCounts(images);
  const isUploading = delivery === 'sending' && !isOffline && retryAt === null;
  const note: ReactNode = isUploading && (
    <OnDemand code={uploadNote} isQuiet>
      {({ UploadNote }) => <UploadNote message={message} onCancel={onCancel} />}
    </OnDemand>
  );
  const tiles = Array.from({ length: count }, (_, index) => (
    <PictureTile
      // The pictures of a sent message never change.
      key={index}
      image={images[index]}
      localPicture={localPictures[index]}
      index={index}
      count={count}
      isSending={delivery === 'sending'}
      progress={progress[index] ?? null}
      tabIndex={tabIndex}
      onEnlarge={onEnlarge}
    />
  ));
  if (count === 1 && (pdfCount > 0 || isPdfFile(localPictures[0]?.bytes ?? null))) {
    return (
      <div className={styles.row}>
        {tiles}
        {note}
      </div>
    );
  }
  if (count === 1) {
    const { width, height } = toFramedSize(images[0] ?? localPictures[0]?.size ?? null);
    const size: CSSProperties = { '--width': `${width}px`, '--ratio': width / height };
    return (
      <div className={styles.single} style={size}>
        {tiles}
        {note}
      </div>
    );
  }
  return (
    <div
      className={styles.grid}
      data-count={count}
      role="group"
      aria-label={countImages({ imageCount: count, pdfCount })}
    >
      {tiles}
      {note}
    </div>
  );
}

interface TileProps {
  /** Absent until the log has the message. */
  image: Picture | undefined;
  localPicture: OutboxPicture | undefined;
  index: number;
  /** How many the message has. */
  count: number;
  isSending: boolean;
  progress: number | null;
  tabIndex: number;
  onEnlarge: (imageUrl: string) => void;
}

function PictureTile(props: TileProps) {
  const { image, localPicture, index, count, isSending, progress, tabIndex, onEnlarge } = props;
  const [isLoaded, setIsLoaded] = useState(false);
  const isLocalPdf = isPdfFile(localPicture?.bytes ?? null);
  const [isRevealed, setIsRevealed] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const isSpoiler = (image ?? localPicture)?.spoiler === true;
  useEffect(() => {
    // The pressed button is gone.
    if (isRevealed) frame.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [isRevealed]);
  if (isSpoiler && !isRevealed) {
    const isPdf = isLocalPdf || image?.pages !== undefined;
    const label = toImageLabel({ alt: getText('common.spoiler'), isPdf }, index, count);
    return (
      <div className={styles.frame}>
        <button
          type="button"
          className={styles.spoiler}
          aria-label={label}
          tabIndex={tabIndex}
          onClick={() => setIsRevealed(true)}
        >
          <Icon name="eyeOff" />
          {getText('common.spoiler')}
        </button>
      </div>
    );
  }
  return (
    <div ref={frame} className={styles.frame}>
      {localPicture && !isLoaded && (
        <div
          className={styles.local}
          role="img"
          aria-label={toImageLabel({ alt: localPicture.alt, isPdf: isLocalPdf }, index, count)}
          aria-hidden={image !== undefined}
          aria-busy={isSending}
          data-dimmed={isSending || undefined}
        >
          <OnDemand code={localPictureCode} isQuiet>
            {({ LocalPicture }) => (
              <LocalPicture bytes={localPicture.bytes} size={localPicture.size} />
            )}
          </OnDemand>
        </div>
      )}
      {image && (
        <SentPicture
          image={image}
          label={toImageLabel({ ...image, isPdf: image.pages !== undefined }, index, count)}
          isTile={count > 1 || image.pages !== undefined}
          hasPreview={localPicture !== undefined}
          tabIndex={tabIndex}
          onLoaded={() => setIsLoaded(true)}
          onEnlarge={() => onEnlarge(image.imageUrl)}
        />
      )}
      {(image?.pdfUrl || (isLocalPdf && localPicture?.alt)) && (
        <PdfBar title={image?.alt ?? localPicture?.alt} image={image} tabIndex={tabIndex} />
      )}
      {progress !== null && isSending && (
        <OnDemand code={localPictureCode} isQuiet>
          {({ UploadBar }) => <UploadBar share={progress} isPdf={isLocalPdf} />}
        </OnDemand>
      )}
    </div>
  );
}

interface PdfBarProps {
  title: string | undefined;
  /** Absent until the log has the message. */
  image: Picture | undefined;
  tabIndex: number;
}

/** Names the PDF under its first page, and downloads it. */
function PdfBar({ title, image, tabIndex }: PdfBarProps) {
  return (
    <div className={styles.pdf}>
      <span className={styles.about} aria-hidden="true">
        {title && (
          <bdi className={styles.title} title={title}>
            {title}
          </bdi>
        )}
        {image && (
          <span>
            {getText('chat.pdf.name')}
            <span className={styles.pages}>
              {` · ${getText('chat.pdf.pages', { count: image.pages ?? 1 })}`}
            </span>
          </span>
        )}
      </span>
      {image && (
        <a
          className={styles.download}
          href={image.pdfUrl}
          download={pdfName}
          tabIndex={tabIndex}
          aria-label={addDescription(getText('chat.pdf.download'), title ?? '')}
          title={getText('chat.pdf.download')}
        >
          <Icon name="save" />
        </a>
      )}
    </div>
  );
}
