import { useEffect, useEffectEvent, useState } from 'react';
import { useSearchBox } from 'react-instantsearch';
import { limits, searchDebounceMs } from '#contract/limits.ts';

function maySearch(text: string): boolean {
  const { length } = text.trim();
  return length === 0 || length >= limits.searchQueryMin;
}

/** What is typed, and what of it is searched for: half a second after the last key, or on Enter. */
export function useDebouncedQuery() {
  const { query, refine } = useSearchBox();
  const [text, setText] = useState(query);
  const [followed, setFollowed] = useState(query);
  const [sent, setSent] = useState(query);
  if (query !== followed) {
    setFollowed(query);
    // Somebody else changed it: Back, or a link. What is being typed would be overwritten by its own past.
    if (query !== sent) setText(query);
  }

  const search = (typed: string) => {
    const next = typed.trim();
    if (!maySearch(typed) || next === query) return;
    setSent(next);
    refine(next);
  };
  // As it is then: Enter may have asked meanwhile.
  const searchThen = useEffectEvent(search);
  useEffect(() => {
    // Counted from the last key, whatever renders meanwhile.
    const timer = setTimeout(() => searchThen(text), searchDebounceMs);
    return () => clearTimeout(timer);
  }, [text]);

  return {
    text,
    setText,
    query,
    /** What stands in the box is what was searched for last. */
    isAsked: text.trim() === query,
    searchNow: () => search(text),
    clear() {
      setText('');
      search('');
    },
    tooShort: !maySearch(text),
  };
}
