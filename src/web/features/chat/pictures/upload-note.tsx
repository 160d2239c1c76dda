import { formatMegabytes } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { isPdfFile } from '#web/sync/uploads/pdf-file.ts';
import { TextButton } from '#web/ui/text-button.tsx';
import styles from './upload-note.module.css';

interface Props {
  message: Pick<RoomMessage, 'unsentPictures' | 'progress'>;
  onCancel: () => void;
}

/** Says how far the files of an unsent message are uploaded. It lies over them, so that nothing moves when it ends. */
export function UploadNote({ message, onCancel }: Props) {
  const text = describeUpload(message);
  return (
    text && (
      <p className={styles.note}>
        <span>{text}</span>
        <CancelButton onCancel={onCancel} />
      </p>
    )
  );
}

/** Keeps the focus in the message when it disappears. */
export function CancelButton({ onCancel }: Pick<Props, 'onCancel'>) {
  return (
    <TextButton
      onClick={({ currentTarget }) => {
        currentTarget.closest('article')?.focus({ preventScroll: true });
        onCancel();
      }}
    >
      {getText('common.cancel')}
    </TextButton>
  );
}

function describeUpload({ unsentPictures, progress }: Props['message']): string | null {
  const files = unsentPictures.map(({ bytes, imageId }, n) => ({
    size: bytes?.size ?? 0,
    isPdf: isPdfFile(bytes),
    /** Null before the upload begins. */
    share: imageId === null ? (progress[n] ?? null) : 1,
    isUploaded: imageId !== null,
  }));
  const waitingFiles = files.filter(({ isUploaded }) => !isUploaded);
  if (waitingFiles.length === 0) return null;
  const total = formatMegabytes(files.reduce((sum, { size }) => sum + size, 0));
  if (files.every(({ share }) => share === null)) return getText('chat.upload.waiting', { total });
  // The server draws the pages of a PDF after it has all bytes.
  if (files.every(({ share }) => share === 1) && waitingFiles.some(({ isPdf }) => isPdf)) {
    return getText('chat.upload.preparingPdf');
  }
  const uploadedBytes = files.reduce((sum, { size, share }) => sum + size * (share ?? 0), 0);
  return getText('chat.upload.done', { uploaded: formatMegabytes(uploadedBytes), total });
}
