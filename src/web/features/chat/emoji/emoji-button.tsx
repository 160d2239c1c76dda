import { type RefObject, useCallback } from 'react';
import { flushSync } from 'react-dom';
import { getText } from '#web/get-text.ts';
import { rememberEmoji } from './recent-emoji.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { Anchor } from '#web/ui/menu.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { replaceText, getFieldSelection } from '../composer/replace-text.ts';

const emojiPicker = createLazyModule(() => import('./emoji-picker.tsx'));

interface Props {
  field: RefObject<HTMLTextAreaElement | null>;
  /** What the open picker is next to. Null: it is closed. */
  anchor: Anchor | null;
  onAnchor: (anchor: Anchor | null) => void;
  /** A menu opens the picker, so there is no button. */
  isInMenu: boolean;
}

/** Opens the emoji picker and inserts what the member picks at the caret. */
export function EmojiButton({ field, anchor, onAnchor, isInMenu }: Props) {
  const close = useCallback(() => onAnchor(null), [onAnchor]);
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
      {!isInMenu && (
        <IconButton
          icon="emoji"
          label={getText('chat.emoji.add')}
          aria-haspopup="dialog"
          aria-expanded={anchor !== null}
          onClick={({ currentTarget }) => onAnchor(currentTarget.getBoundingClientRect())}
        />
      )}
      {anchor && (
        <OnDemand code={emojiPicker} onFailure={close}>
          {({ EmojiPicker }) => <EmojiPicker anchor={anchor} onPick={insert} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
