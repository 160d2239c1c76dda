import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { limits } from '#contract/limits.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Screen } from '#web/ui/screen.tsx';
import { SearchResults } from './search-results.tsx';
import { useDebouncedQuery } from './use-debounced-query.ts';
import styles from './search-screen.module.css';

export function SearchScreen() {
  const [params, setParams] = useSearchParams();
  const search = useDebouncedQuery((params.get('q') ?? '').slice(0, limits.searchQuery));
  const { query } = search;
  useEffect(() => {
    // So that Back, and a reload, come to the same results.
    if ((params.get('q') ?? '') !== query) setParams(query ? { q: query } : {}, { replace: true });
  }, [query, params, setParams]);
  return (
    <Screen title="Search Classes">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          search.searchNow();
        }}
      >
        <div className={styles.box}>
          <Icon name="search" />
          <input
            className={styles.input}
            type="search"
            name="q"
            aria-label="Search classes"
            aria-describedby="search-note"
            placeholder="Search your data here"
            maxLength={limits.searchQuery}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="search"
            dir="auto"
            value={search.text}
            onChange={(event) => search.setText(event.target.value)}
          />
        </div>
        <p className={styles.note} id="search-note" role="status">
          {search.tooShort
            ? `Type at least ${limits.searchQueryMin} characters.`
            : !query && !search.text && 'The classes with most members. Search by name or code.'}
        </p>
      </form>
      <SearchResults query={query} />
      <p className={styles.foot}>powered by Backchannel search</p>
    </Screen>
  );
}
