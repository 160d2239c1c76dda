import { type RefObject, useCallback, useState } from 'react';
import { flushSync } from 'react-dom';
import { rememberEmoji } from './recent-emoji.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { Anchor } from '#web/ui/menu.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { replaceText, getFieldSelection } from '../composer/replace-text.ts';

const emojiPicker = createLazyModule(() => import('./emoji-picker.tsx'));

/** Opens the emoji picker and inserts what the member picks at the caret. */
export function EmojiButton({ field }: { field: RefObject<HTMLTextAreaElement | null> }) {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const close = useCallback(() => setAnchor(null), []);
  const insert = (emoji: string) => {
    // The field takes no text while the dialog is open.
    flushSync(close);
    rememberEmoji(emoji);
    const element = field.current;
    if (!element) return;
    const { from, to } = getFieldSelection(element);
    const end = from + emoji.length;
    replaceText(element, { from, to, insert: emoji, selectFrom: end, selectTo: end });
  };
  return (
    <>
      <IconButton
        icon="emoji"
        label="Add an emoji"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget.getBoundingClientRect())}
      />
      {anchor && (
        <OnDemand code={emojiPicker} onFailure={close}>
          {({ EmojiPicker }) => <EmojiPicker anchor={anchor} onPick={insert} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
