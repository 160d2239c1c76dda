import { useEffect, useEffectEvent, useState } from 'react';
import { isShortcut } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer } from '#web/ui/use-escape.ts';
import type { SidePanel } from './use-side-panel.ts';

/** The search in the messages of the open class. It opens with the last query. */
export function useMessageSearch(panel: SidePanel) {
  const [lastQuery, setLastQuery] = useState('');
  const isOpen = panel.shown?.kind === 'search';
  const open = () => panel.open({ kind: 'search', query: lastQuery });
  useFindShortcut(isOpen, open);
  return {
    isOpen,
    open,
    query: panel.shown?.kind === 'search' ? panel.shown.query : lastQuery,
    setQuery(query: string) {
      setLastQuery(query);
      panel.change({ kind: 'search', query });
    },
  };
}

/** Set on the search field of the panel. */
export const searchFieldId = 'message-search-field';

/**
 * Ctrl+F searches the class instead of the page, because the page holds only the messages around the visible
 * ones. With the focus in the search field it opens the browser's own search.
 */
function useFindShortcut(isOpen: boolean, open: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!isShortcut(event, 'f') || hasOpenLayer()) return;
    const field = document.querySelector<HTMLInputElement>(`#${searchFieldId}`);
    if (field && field === document.activeElement) return;
    event.preventDefault();
    if (!isOpen) open();
    field?.select();
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
}
