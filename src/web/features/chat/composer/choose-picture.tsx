import { useRef, useEffect, useState } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';

/** What the server can read. Without HEIC in the list, phones that take such pictures convert them. */
const accepted = 'image/jpeg,image/png,image/webp,image/gif,image/avif';

/** The composer's '+'. */
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
          // The same file again is a choice too.
          currentTarget.value = '';
          if (file) onPick(file);
        }}
      />
    </>
  );
}

/**
 * Takes what is dropped anywhere in the window, or pasted outside of a text that is being written: a
 * browser would leave the page for a file that is dropped beside its target.
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
      // From element to element something is entered each time; out of the window nothing is.
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
      // Text that comes with a picture of itself, as from a table or a document, is meant as text.
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

/** A picture before anything else; of other files the first one is refused in words. */
function fileOf(data: DataTransfer | null): File | undefined {
  const files = [...(data?.files ?? [])];
  return files.find(({ type }) => type.startsWith('image/')) ?? files[0];
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}
