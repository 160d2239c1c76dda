// The search for classes (/search). InstantSearch talks to the server's own index or to Algolia by the same client
// (`data/search-client.ts`), so one screen serves both. The address holds query and filters, so that the Back
// button and links work. `retrying-client.ts` hides failures from InstantSearch, which would otherwise drop what
// was typed.
import { useId, useMemo, useRef, useState } from 'react';
import { Configure, InstantSearch } from 'react-instantsearch';
import { limits, searchStalledMs } from '#contract/limits.ts';
import { searchIndexName } from '#contract/class-fields.ts';
import { useSearchClient } from '#web/data/search-client.ts';
import { formatCount } from '#web/format.ts';
import { site } from '#web/site.ts';
import { useSearchParams } from '#web/ui/navigation.tsx';
import { Screen } from '#web/ui/screen.tsx';
import { Filters } from './filters.tsx';
import { highlightPreTag, highlightPostTag } from './highlighted-text.tsx';
import { SearchBox } from './search-box.tsx';
import { type RenderOffer, SearchResults } from './search-results.tsx';
import { fromParams, useSearchUrl } from './use-search-url.ts';
import { useClearFilters } from './use-filter.ts';
import { useDebouncedQuery } from './use-debounced-query.ts';
import { type SearchState, useSearchResults } from './use-search-results.ts';
import { useListKeys } from './use-list-keys.ts';
import { createRetryingClient, type RetryingClient } from './retrying-client.ts';
import styles from './search-screen.module.css';

export function SearchScreen({ renderOffer }: { renderOffer: RenderOffer }) {
  const searchClient = useSearchClient();
  const retryingClient = useMemo(() => createRetryingClient(searchClient), [searchClient]);
  const params = useSearchParams();
  const [initial] = useState(() => fromParams(params));
  return (
    <Screen title="Search Classes">
      <InstantSearch
        searchClient={retryingClient.client}
        indexName={searchIndexName}
        initialUiState={{ [searchIndexName]: initial }}
        stalledSearchDelay={searchStalledMs}
        insights={false}
        future={{ preserveSharedStateOnUnmount: true }}
      >
        <Configure
          hitsPerPage={limits.searchHitsPerPage}
          highlightPreTag={highlightPreTag}
          highlightPostTag={highlightPostTag}
        />
        <Search client={retryingClient} renderOffer={renderOffer} />
      </InstantSearch>
    </Screen>
  );
}

interface SearchProps {
  client: RetryingClient;
  renderOffer: RenderOffer;
}

function Search({ client, renderOffer }: SearchProps) {
  const noteId = useId();
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const keys = useListKeys(list, box);
  const search = useDebouncedQuery();
  const found = useSearchResults(client);
  const filtered = useClearFilters().any;
  useSearchUrl();
  const submit = () => {
    if (found.failure && search.isSubmitted) found.failure.retry();
    else search.searchNow();
  };
  const note = search.tooShort
    ? `Type at least ${limits.searchQueryMin} characters.`
    : describeResults(found, filtered);
  const rewritten = search.tooShort || found.isStalled || found.failure ? null : found.rewritten;
  return (
    <>
      <div className={styles.ask}>
        <SearchBox
          search={search}
          box={box}
          noteId={noteId}
          onSubmit={submit}
          onMoveDown={keys.focusFirst}
        />
        <Filters box={box} />
        <div className={styles.note} id={noteId} role="status">
          <p>{note}</p>
          {rewritten !== null && (
            <p className={styles.rewritten}>
              Showing results for “<bdi>{rewritten}</bdi>”
            </p>
          )}
        </div>
      </div>
      <SearchResults
        found={found}
        list={list}
        onKeyDown={keys.onKeyDown}
        renderOffer={renderOffer}
      />
      <p className={styles.foot}>
        powered by {site.searchApplication ? 'Algolia' : 'Backchannel search'}
      </p>
    </>
  );
}

function describeResults(
  { total, isStalled, failure, query }: SearchState,
  filtered: boolean,
): string {
  if (failure || total === null) return '';
  if (isStalled) return 'Searching…';
  if (total === 0) return 'No class found.';
  const classes = total === 1 ? '1 class' : `${formatCount(total)} classes`;
  return query || filtered ? `${classes} found.` : `${classes}, largest first.`;
}
