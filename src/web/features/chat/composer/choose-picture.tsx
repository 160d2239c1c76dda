import { useRef, useEffect, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { MenuItem } from '#web/ui/menu.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';

/**
 * Formats that every browser can show. Without HEIC in the list, phones convert HEIC pictures before the upload.
 */
const acceptedTypes = 'image/jpeg,image/png,image/webp,image/gif,image/avif,application/pdf';

interface Props {
  /** The composer has no space for more buttons: this one opens a menu with what they do. */
  hasMenu: boolean;
  /** Null if the class allows no pictures. */
  onPick: ((files: readonly File[]) => void) | null;
  /** Null if no poll can be asked now. */
  onPoll: (() => void) | null;
  onEmoji: () => void;
}

const chooseLabel = getText('chat.composer.addFiles');

/** The '+' button of the composer. */
export function AddButton({ hasMenu, onPick, onPoll, onEmoji }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const chooseFiles = () => input.current?.click();
  const items: MenuItem[] = [
    ...(onPick ? [{ icon: 'picture', label: chooseLabel, action: chooseFiles } as const] : []),
    ...(onPoll ? [{ icon: 'poll', label: getText('chat.poll.new'), action: onPoll } as const] : []),
    { icon: 'emoji', label: getText('chat.emoji.add'), action: onEmoji },
  ];
  return (
    <>
      {hasMenu && (
        <MenuButton
          icon="create"
          label={
            onPick ? getText('chat.composer.addFilesOrPoll') : getText('chat.composer.addPoll')
          }
          items={items}
        />
      )}
      {!hasMenu && onPick && <IconButton icon="create" label={chooseLabel} onClick={chooseFiles} />}
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
          if (files.length > 0) onPick?.(files);
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
