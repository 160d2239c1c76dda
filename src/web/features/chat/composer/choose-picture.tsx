import { useRef, useEffect, useState } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { MenuItem } from '#web/ui/menu.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';

/**
 * Formats that every browser can show. Without HEIC in the list, phones convert HEIC pictures before the upload.
 */
const acceptedTypes = 'image/jpeg,image/png,image/webp,image/gif,image/avif,application/pdf';

interface Props {
  onPick: (files: readonly File[]) => void;
  /** Set if the button also asks a poll, because there is no space for a button of its own. */
  onPoll: (() => void) | null;
}

const chooseLabel = 'Add pictures or PDFs';

/** The '+' button of the composer. */
export function AddButton({ onPick, onPoll }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const chooseFiles = () => input.current?.click();
  const items: MenuItem[] = onPoll
    ? [
        { icon: 'picture', label: chooseLabel, action: chooseFiles },
        { icon: 'poll', label: 'New poll', action: onPoll },
      ]
    : [];
  return (
    <>
      {onPoll ? (
        <MenuButton icon="create" label="Add pictures, PDFs or a poll" items={items} />
      ) : (
        <IconButton icon="create" label={chooseLabel} onClick={chooseFiles} />
      )}
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={acceptedTypes}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // Without this, choosing the same files again fires no change event.
          currentTarget.value = '';
          if (files.length > 0) onPick(files);
        }}
      />
    </>
  );
}

/**
 * Accepts files that are dropped anywhere in the window or pasted outside a text field. Without this, the
 * browser would open a dropped file in place of the page.
 *
 * @returns whether a file is being dragged over the window
 */
export function useDroppedPictures(onPictures: (files: readonly File[]) => void): boolean {
  const [isDraggingOver, setIsDraggingOver] = useState(false);
  const latestHandler = useRef(onPictures);
  useEffect(() => {
    latestHandler.current = onPictures;
  }, [onPictures]);
  useEffect(() => {
    const onDragOver = (event: DragEvent) => {
      if (!hasFile(event) || isDialogOpen()) return;
      event.preventDefault();
      setIsDraggingOver(true);
    };
    const onDragLeave = (event: DragEvent) => {
      // Only the `dragleave` that exits the window has no `relatedTarget`.
      if (event.relatedTarget === null) setIsDraggingOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setIsDraggingOver(false);
      if (!hasFile(event) || isDialogOpen()) return;
      event.preventDefault();
      const files = listFiles(event.dataTransfer);
      if (files.length > 0) latestHandler.current(files);
    };
    const onPaste = (event: ClipboardEvent) => {
      if (event.defaultPrevented || isDialogOpen()) return;
      const files = listFiles(event.clipboardData);
      // If the clipboard holds text and a picture of it, as from a spreadsheet, the text is meant.
      if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return;
      event.preventDefault();
      latestHandler.current(files);
    };
    window.addEventListener('dragenter', onDragOver);
    window.addEventListener('dragover', onDragOver);
    window.addEventListener('dragleave', onDragLeave);
    window.addEventListener('drop', onDrop);
    window.addEventListener('paste', onPaste);
    return () => {
      window.removeEventListener('dragenter', onDragOver);
      window.removeEventListener('dragover', onDragOver);
      window.removeEventListener('dragleave', onDragLeave);
      window.removeEventListener('drop', onDrop);
      window.removeEventListener('paste', onPaste);
    };
  }, []);
  return isDraggingOver;
}

function hasFile({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

function listFiles(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}
