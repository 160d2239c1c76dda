import { useEffect, useId, useRef } from 'react';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Screen } from '#web/ui/screen.tsx';
import { useClassQuery } from './class-query.ts';
import { Filters } from './filters.tsx';
import { SearchBox } from './search-box.tsx';
import { type RenderOffer, SearchResults } from './search-results.tsx';
import { useDebouncedQuery } from './use-debounced-query.ts';
import { useListKeys } from './use-list-keys.ts';
import { type SearchState, useSearchResults } from './use-search-results.ts';
import styles from './search-screen.module.css';

export function SearchScreen({ renderOffer }: { renderOffer: RenderOffer }) {
  const noteId = useId();
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (matchMedia('(hover: hover)').matches) box.current?.focus({ preventScroll: true });
  }, []);
  const keys = useListKeys(list, box);
  const classQuery = useClassQuery();
  const { currentQuery, hasFilters } = classQuery;
  const search = useDebouncedQuery(currentQuery.query, classQuery.setQuery);
  const results = useSearchResults(currentQuery);
  const submit = () => {
    if (results.failure && search.isSubmitted) results.failure.retry();
    else search.searchNow();
  };
  const note = search.isTooShort
    ? getText('classSearch.box.tooShort')
    : describeResults(results, hasFilters);
  const rewrittenQuery =
    search.isTooShort || results.isStalled || results.failure ? null : results.rewrittenQuery;
  return (
    <Screen title={getText('classSearch.title')}>
      <div className="stack-m">
        <SearchBox
          search={search}
          box={box}
          noteId={noteId}
          onSubmit={submit}
          onMoveDown={keys.focusFirst}
        />
        <Filters search={classQuery} facetCounts={results.facetCounts} box={box} />
        <div className={styles.note} id={noteId} role="status">
          <p>{note}</p>
          {rewrittenQuery !== null && (
            <p className="typed">
              {getRichText('classSearch.rewritten', { query: rewrittenQuery, bdi: <bdi /> })}
            </p>
          )}
        </div>
      </div>
      <SearchResults
        search={results}
        hasFilters={hasFilters}
        onClearFilters={classQuery.clearFilters}
        list={list}
        onKeyDown={keys.onKeyDown}
        renderOffer={renderOffer}
      />
      <p className="time">
        {site.searchApplication
          ? getText('classSearch.byAlgolia')
          : getText('classSearch.byBackchannel')}
      </p>
    </Screen>
  );
}

function describeResults(
  { total, isStalled, failure, query }: SearchState,
  hasFilters: boolean,
): string {
  if (failure || total === null) return '';
  if (isStalled) return getText('classSearch.searching.text');
  if (total === 0) return getText('classSearch.results.none');
  return query || hasFilters
    ? getText('classSearch.results.found', { count: total })
    : getText('classSearch.results.largestFirst', { count: total });
}
