import { useEffect, useState } from 'react';
import { limits, searchDebounceMs } from '#contract/limits.ts';

function maySearch(text: string): boolean {
  const { length } = text.trim();
  return length === 0 || length >= limits.searchQueryMin;
}

/** What is typed, and what of it is searched for: half a second after the last key, or on Enter. */
export function useDebouncedQuery(initial: string) {
  const [text, setText] = useState(initial);
  const [query, setQuery] = useState(initial);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (maySearch(text)) setQuery(text.trim());
    }, searchDebounceMs);
    return () => clearTimeout(timer);
  }, [text]);
  const searchNow = () => {
    if (maySearch(text)) setQuery(text.trim());
  };
  return { text, setText, query, searchNow, tooShort: !maySearch(text) };
}
