import { useId, useMemo, useRef, useState } from 'react';
import { Configure, InstantSearch } from 'react-instantsearch';
import { useSearchParams } from 'react-router';
import { limits, searchStalledMs } from '#contract/limits.ts';
import { searchIndexName } from '#contract/search-index.ts';
import { useSearchClient } from '#web/data/search-client.ts';
import { site } from '#web/site.ts';
import { Screen } from '#web/ui/screen.tsx';
import { Filters } from './filters.tsx';
import { markBegin, markEnd } from './highlighted.tsx';
import { SearchBox } from './search-box.tsx';
import { SearchResults } from './search-results.tsx';
import { fromParams, useSearchUrl } from './use-search-url.ts';
import { useClearFilters } from './use-filter.ts';
import { useDebouncedQuery } from './use-debounced-query.ts';
import { type FoundClasses, useFoundClasses } from './use-found-classes.ts';
import { useListKeys } from './use-list-keys.ts';
import { createRetryingClient, type RetryingClient } from './retrying-client.ts';
import styles from './search-screen.module.css';

export function SearchScreen() {
  const searchClient = useSearchClient();
  const waiting = useMemo(() => createRetryingClient(searchClient), [searchClient]);
  const [params] = useSearchParams();
  const [initial] = useState(() => fromParams(params));
  return (
    <Screen title="Search Classes">
      <InstantSearch
        searchClient={waiting.client}
        indexName={searchIndexName}
        initialUiState={{ [searchIndexName]: initial }}
        stalledSearchDelay={searchStalledMs}
        insights={false}
        future={{ preserveSharedStateOnUnmount: true }}
      >
        <Configure
          hitsPerPage={limits.searchHitsPerPage}
          highlightPreTag={markBegin}
          highlightPostTag={markEnd}
        />
        <Search client={waiting} />
      </InstantSearch>
    </Screen>
  );
}

function Search({ client }: { client: RetryingClient }) {
  const noteId = useId();
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const keys = useListKeys(list, box);
  const search = useDebouncedQuery();
  const found = useFoundClasses(client);
  const filtered = useClearFilters().any;
  useSearchUrl();
  const submit = () => {
    if (found.failure && search.isAsked) found.failure.retry();
    else search.searchNow();
  };
  const note = search.tooShort
    ? `Type at least ${limits.searchQueryMin} characters.`
    : noteOn(found, filtered);
  return (
    <>
      <div className={styles.ask}>
        <SearchBox
          search={search}
          box={box}
          noteId={noteId}
          onSubmit={submit}
          onDown={keys.enter}
        />
        <Filters box={box} />
        <p className={styles.note} id={noteId} role="status">
          {note}
        </p>
      </div>
      <SearchResults found={found} list={list} onKeyDown={keys.onKeyDown} />
      <p className={styles.foot}>
        powered by {site.searchApplication ? 'Algolia' : 'Backchannel search'}
      </p>
    </>
  );
}

function noteOn({ total, stalled, failure, query }: FoundClasses, filtered: boolean): string {
  if (failure || total === null) return '';
  if (stalled) return 'Searching…';
  if (total === 0) return 'No class found.';
  const classes = total === 1 ? '1 class' : `${total.toLocaleString('en')} classes`;
  return query || filtered ? `${classes} found.` : `${classes}, largest first.`;
}
