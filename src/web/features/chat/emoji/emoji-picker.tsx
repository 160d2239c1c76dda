import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { loadRecentEmoji } from './recent-emoji.ts';
import { type Anchor, toLeft } from '#web/ui/menu.tsx';
import { isComposing, mirrorArrow } from '#web/ui/shortcut-keys.ts';
import { useBackToClose } from '#web/ui/use-back-to-close.ts';
import { useNativeDialog } from '#web/ui/use-native-dialog.ts';
import {
  describeEmoji,
  emojiCategories,
  listEmojiOfCategory,
  findEmoji,
  listRecentFirst,
  type NamedEmoji,
} from './find-emoji.ts';
import styles from './emoji-picker.module.css';

interface Props {
  anchor: Anchor;
  onPick: (emoji: string) => void;
  onClose: () => void;
}

const maxFound = 60;
const recent = getText('chat.emoji.recent');
const recentTitle = getText('chat.emoji.recentThen', { category: emojiCategories[0] ?? '' });

/** Chooses an emoji by search or category. On a phone it is a bottom sheet. */
export function EmojiPicker({ anchor, onPick, onClose }: Props) {
  const dialog = useNativeDialog(onClose);
  useBackToClose(onClose);
  const grid = useRef<HTMLDivElement>(null);
  const gridId = useId();
  const [query, setQuery] = useState('');
  const [recentEmoji] = useState(() =>
    loadRecentEmoji().flatMap((emoji) => describeEmoji(emoji) ?? []),
  );
  const tabs = recentEmoji.length > 0 ? [recent, ...emojiCategories] : emojiCategories;
  const [category, setCategory] = useState(tabs[0] ?? '');
  const [focusableIndex, setFocusableIndex] = useState(0);
  const isSearching = query.trim() !== '';
  const isRecent = category === recent;
  const title = isRecent ? recentTitle : category;
  const categoryEmoji = isRecent ? listRecentFirst(recentEmoji) : listEmojiOfCategory(category);
  const shownEmoji = isSearching ? findEmoji(query, maxFound) : categoryEmoji;

  useLayoutEffect(() => {
    const { style, offsetHeight = 0, offsetWidth = 0 } = dialog.current ?? {};
    style?.setProperty('--left', `${toLeft(anchor, offsetWidth, 'end')}px`);
    style?.setProperty('--top', `${Math.max(8, anchor.top - offsetHeight - 8)}px`);
    // On a touch device the focus would open the on-screen keyboard over the emoji.
    if (matchMedia('(hover: none)').matches) dialog.current?.focus();
  }, [anchor, dialog]);

  const openCategory = (next: string) => {
    setQuery('');
    setCategory(next);
    setFocusableIndex(0);
    grid.current?.scrollTo({ top: 0 });
  };
  const focusEmoji = (index: number) => {
    const buttons = grid.current?.querySelectorAll('button') ?? [];
    buttons[Math.max(0, Math.min(index, buttons.length - 1))]?.focus();
  };
  const onSearchKey = (event: KeyboardEvent) => {
    const first = shownEmoji[0];
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'ArrowDown') focusEmoji(0);
    else if (event.key === 'Enter' && isSearching && first) onPick(first.emoji);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className={styles.picker}
      tabIndex={-1}
      aria-label={getText('chat.emoji.label')}
      onClose={() => {
        if (dialog.current?.open === false) onClose();
      }}
      // The dialog has no padding, so a click on the dialog itself is a click on the backdrop.
      onPointerDown={({ target }) => {
        if (target === dialog.current) onClose();
      }}
    >
      <div className={styles.content}>
        <input
          className={styles.search}
          data-first-focus
          type="search"
          aria-label={getText('chat.emoji.search')}
          placeholder={getText('chat.emoji.search')}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={({ target }) => {
            setQuery(target.value);
            setFocusableIndex(0);
          }}
          onKeyDown={onSearchKey}
        />
        <CategoryTabs
          tabs={tabs}
          category={category}
          isSearching={isSearching}
          panelId={gridId}
          onOpen={openCategory}
        />
        <p className={styles.title} role="status">
          {isSearching ? toResultText(shownEmoji.length) : title}
        </p>
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its buttons handle the keys. */}
        <div
          ref={grid}
          id={gridId}
          className={styles.grid}
          role={isSearching ? 'group' : 'tabpanel'}
          aria-label={isSearching ? getText('chat.emoji.results') : title}
          onKeyDown={(event) => {
            const index = findFocusedIndex(event.currentTarget);
            const targetIndex = findTargetIndex(
              event.key,
              index,
              countColumns(event.currentTarget),
            );
            if (targetIndex === null) return;
            event.preventDefault();
            focusEmoji(targetIndex);
          }}
        >
          {shownEmoji.map((namedEmoji, n) => (
            <EmojiButton
              key={namedEmoji.emoji}
              {...namedEmoji}
              tabIndex={n === focusableIndex ? 0 : -1}
              onFocus={() => setFocusableIndex(n)}
              onPick={onPick}
            />
          ))}
        </div>
      </div>
    </dialog>
  );
}

interface TabsProps {
  tabs: readonly string[];
  category: string;
  isSearching: boolean;
  /** The id of the element with the emoji of the category. */
  panelId: string;
  onOpen: (category: string) => void;
}

function CategoryTabs({ tabs, category, isSearching, panelId, onOpen }: TabsProps) {
  return (
    <div
      className={styles.tabs}
      role="tablist"
      tabIndex={-1}
      aria-label={getText('chat.emoji.categories')}
      onKeyDown={moveBetweenTabs}
    >
      {tabs.map((tab) => {
        const isSelected = tab === category && !isSearching;
        return (
          <button
            key={tab}
            type="button"
            role="tab"
            className={styles.tab}
            aria-label={tab}
            title={tab}
            aria-selected={isSelected}
            aria-controls={isSelected ? panelId : undefined}
            tabIndex={tab === category ? 0 : -1}
            onClick={() => onOpen(tab)}
          >
            {tab === recent ? '🕘' : listEmojiOfCategory(tab)[0]?.emoji}
          </button>
        );
      })}
    </div>
  );
}

interface ButtonProps extends NamedEmoji {
  tabIndex: number;
  onFocus: () => void;
  onPick: (emoji: string) => void;
}

function EmojiButton({ emoji, shownName, description, tabIndex, onFocus, onPick }: ButtonProps) {
  return (
    <button
      type="button"
      className={styles.emoji}
      aria-label={description}
      title={shownName}
      tabIndex={tabIndex}
      onFocus={onFocus}
      onClick={() => onPick(emoji)}
    >
      {emoji}
    </button>
  );
}

function toResultText(count: number): string {
  return count === maxFound
    ? getText('chat.emoji.foundAtLeast', { count })
    : getText('chat.emoji.found', { count });
}

function findFocusedIndex(grid: HTMLElement): number {
  return [...grid.querySelectorAll('button')].findIndex(
    (button) => button === document.activeElement,
  );
}

function countColumns(grid: HTMLElement): number {
  return getComputedStyle(grid).gridTemplateColumns.split(' ').length;
}

function findTargetIndex(key: string, index: number, columns: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    Home: -Infinity,
    End: Infinity,
  };
  const step = steps[mirrorArrow(key)];
  return step === undefined ? null : index + step;
}

function moveBetweenTabs(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[mirrorArrow(event.key)];
  if (!step) return;
  event.preventDefault();
  const tabs = [...event.currentTarget.querySelectorAll('button')];
  const index = tabs.findIndex((tab) => tab === document.activeElement);
  const next = tabs.at((index + step) % tabs.length);
  next?.focus();
  next?.click();
}
