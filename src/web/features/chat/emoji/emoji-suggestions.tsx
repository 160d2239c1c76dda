import { type RefObject, useLayoutEffect, useRef } from 'react';
import { getText } from '#web/get-text.ts';
import { Listbox } from '#web/ui/listbox.tsx';
import type { NamedEmoji } from './find-emoji.ts';
import { toLeft } from '#web/ui/menu.tsx';
import styles from './emoji-suggestions.module.css';

interface Props {
  id: string;
  field: RefObject<HTMLTextAreaElement | null>;
  suggestions: readonly NamedEmoji[];
  active: number | null;
  onActive: (index: number) => void;
  onPick: (emoji: string) => void;
}

/** The suggested emoji, above the text field. */
export function EmojiSuggestions({ id, field, suggestions, active, onActive, onPick }: Props) {
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => layer.current?.showPopover(), []);
  useLayoutEffect(() => {
    const box = field.current?.getBoundingClientRect();
    const { style, offsetHeight, offsetWidth } = layer.current ?? {};
    if (!box || !style || offsetHeight === undefined || offsetWidth === undefined) return;
    const topAbove = box.top - offsetHeight - 8;
    style.setProperty('--top', `${topAbove >= 8 ? topAbove : box.bottom + 8}px`);
    style.setProperty('--left', `${toLeft(box, offsetWidth, 'start')}px`);
  });
  return (
    <div ref={layer} className={styles.layer} popover="manual">
      <Listbox
        id={id}
        label={getText('chat.emoji.label')}
        options={suggestions.map(({ emoji, shownName, description }) => ({
          key: emoji,
          label: description,
          content: (
            <>
              <span className={styles.emoji}>{emoji}</span>
              <span className="meta truncate">{shownName}</span>
            </>
          ),
        }))}
        activeIndex={active}
        onActivate={onActive}
        onChoose={(index) => {
          const chosenEmoji = suggestions[index];
          if (chosenEmoji) onPick(chosenEmoji.emoji);
        }}
      />
    </div>
  );
}
