import { useRef } from 'react';
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
