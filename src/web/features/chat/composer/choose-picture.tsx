import { useRef, useEffect, useState } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';

/**
 * Formats that the server accepts. Without HEIC in the list, phones convert HEIC pictures before the upload.
 */
const accepted = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

/** The '+' button of the composer. */
export function PictureButton({ onPick }: { onPick: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="create" label="Add a picture" onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        accept={accepted}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          // Without this, choosing the same file again fires no change event.
          currentTarget.value = '';
          if (file) onPick(file);
        }}
      />
    </>
  );
}

/**
 * Accepts a picture that is dropped anywhere in the window or pasted outside a text field. Without this, the
 * browser would open a dropped file in place of the page.
 *
 * @returns whether a file is being dragged over the window
 */
export function useDroppedPicture(onPicture: (file: File) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useRef(onPicture);
  useEffect(() => {
    take.current = onPicture;
  }, [onPicture]);
  useEffect(() => {
    const entered = (event: DragEvent) => {
      if (!holdsFile(event) || isDialogOpen()) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => {
      // Only the `dragleave` that exits the window has no `relatedTarget`.
      if (event.relatedTarget === null) setOver(false);
    };
    const dropped = (event: DragEvent) => {
      setOver(false);
      if (!holdsFile(event) || isDialogOpen()) return;
      event.preventDefault();
      const file = fileOf(event.dataTransfer);
      if (file) take.current(file);
    };
    const pasted = (event: ClipboardEvent) => {
      if (event.defaultPrevented || isDialogOpen()) return;
      const file = fileOf(event.clipboardData);
      // If the clipboard holds text and a picture of it, as from a spreadsheet, the text is meant.
      if (!file || event.clipboardData?.types.includes('text/plain')) return;
      event.preventDefault();
      take.current(file);
    };
    window.addEventListener('dragenter', entered);
    window.addEventListener('dragover', entered);
    window.addEventListener('dragleave', left);
    window.addEventListener('drop', dropped);
    window.addEventListener('paste', pasted);
    return () => {
      window.removeEventListener('dragenter', entered);
      window.removeEventListener('dragover', entered);
      window.removeEventListener('dragleave', left);
      window.removeEventListener('drop', dropped);
      window.removeEventListener('paste', pasted);
    };
  }, []);
  return over;
}

function holdsFile({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

/** Prefers a picture. If there is none, the first file gets an error message. */
function fileOf(data: DataTransfer | null): File | undefined {
  const files = [...(data?.files ?? [])];
  return files.find(({ type }) => type.startsWith('image/')) ?? files[0];
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}
