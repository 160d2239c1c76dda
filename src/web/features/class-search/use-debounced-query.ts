import { useEffect, useEffectEvent, useState } from 'react';
import { limits, searchDebounceMs } from '#contract/limits.ts';

function isSearchable(text: string): boolean {
  const { length } = text.trim();
  return length === 0 || length >= limits.searchQueryMin;
}

/**
 * The typed text and the submitted query. The query follows after half a second without a key, or on Enter.
 */
export function useDebouncedQuery(query: string, setQuery: (query: string) => void) {
  const [text, setText] = useState(query);
  const [lastQuery, setLastQuery] = useState(query);
  const [submittedQuery, setSubmittedQuery] = useState(query);
  if (query !== lastQuery) {
    setLastQuery(query);
    // An external change: Back or a link. The hook's own changes must not overwrite newer typing.
    if (query !== submittedQuery) setText(query);
  }

  const search = (typedText: string) => {
    const next = typedText.trim();
    if (!isSearchable(typedText) || next === query) return;
    setSubmittedQuery(next);
    setQuery(next);
  };
  // Reads the latest state, because Enter may have searched meanwhile.
  const searchLater = useEffectEvent(search);
  useEffect(() => {
    // The delay starts at the last key press. Other renders do not restart it.
    const timer = setTimeout(() => searchLater(text), searchDebounceMs);
    return () => clearTimeout(timer);
  }, [text]);

  return {
    text,
    setText,
    /** The text equals the last submitted query. */
    isSubmitted: text.trim() === query,
    searchNow: () => search(text),
    clear() {
      setText('');
      search('');
    },
    isTooShort: !isSearchable(text),
  };
}
