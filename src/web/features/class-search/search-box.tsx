import type { KeyboardEvent, RefObject } from 'react';
import { limits } from '#contract/limits.ts';
import { getText } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import type { useDebouncedQuery } from './use-debounced-query.ts';
import styles from './search-screen.module.css';

interface Props {
  search: ReturnType<typeof useDebouncedQuery>;
  box: RefObject<HTMLInputElement | null>;
  /** The id of the element with the result count or the error. */
  noteId: string;
  onSubmit: () => void;
  /** Moves the focus to the first result. @returns false if there is none */
  onMoveDown: () => boolean;
}

export function SearchBox({ search, box, noteId, onSubmit, onMoveDown }: Props) {
  const clear = () => {
    search.clear();
    box.current?.focus();
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'ArrowDown' && onMoveDown()) event.preventDefault();
    if (event.key === 'Escape' && search.text) {
      event.preventDefault();
      clear();
    }
  };
  return (
    <form
      role="search"
      className={styles.box}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Icon name="search" />
      <input
        ref={box}
        className={styles.input}
        type="search"
        name="q"
        aria-label={getText('classSearch.box.label')}
        aria-describedby={noteId}
        placeholder={getText('classSearch.box.placeholder')}
        maxLength={limits.searchQuery}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="search"
        dir="auto"
        value={search.text}
        onChange={(event) => search.setText(event.target.value)}
        onKeyDown={handleKeyDown}
      />
      {search.text && (
        <span className={styles.clear}>
          <IconButton icon="close" label={getText('classSearch.box.clear')} onClick={clear} />
        </span>
      )}
    </form>
  );
}
