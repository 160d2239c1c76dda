import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import type { CallReply } from '#contract/http.ts';
import { toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ClassHit } from './class-hit.tsx';
import { useJoinResult } from './use-join-result.ts';
import type { SearchFailure, SearchState } from './use-search-results.ts';
import styles from './search-screen.module.css';

interface Props {
  search: SearchState;
  hasFilters: boolean;
  onClearFilters: () => void;
  list: RefObject<HTMLUListElement | null>;
  onKeyDown: (event: React.KeyboardEvent) => void;
  renderOffer: RenderOffer;
}

/** Shows a class with a description or rules before the viewer joins it. */
export type RenderOffer = (
  offer: CallReply<'readClass'>,
  handlers: { onJoined: () => void; onCancel: () => void },
) => ReactNode;

export function SearchResults(props: Props) {
  const { search, hasFilters, onClearFilters, list, onKeyDown, renderOffer } = props;
  const { items, total, failure, isLoading, isStalled } = search;
  const { isJoined, isJoining, joinAndOpen, offer, decline, openJoined } = useJoinResult();

  if (failure && !search.hasPagingError) return <SearchError failure={failure} />;
  const isWaiting = total === null || (isStalled && items.length === 0);
  if (isWaiting) return <SearchSkeleton shown={isStalled} />;
  if (items.length === 0) {
    return (
      <NoResults query={search.query} hasFilters={hasFilters} onClearFilters={onClearFilters} />
    );
  }
  return (
    <div className={styles.results}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons handle the keys. */}
      <ul
        ref={list}
        className={isStalled ? `${styles.hits} ${styles.stale}` : styles.hits}
        aria-label={getText('classSearch.results.label')}
        aria-busy={isLoading}
        onKeyDown={onKeyDown}
      >
        {items.map((hit) => (
          <li key={hit.objectID}>
            <ClassHit
              hit={hit}
              joined={isJoined(hit.objectID)}
              joining={isJoining(hit.objectID)}
              onJoin={() => joinAndOpen(hit.objectID)}
            />
          </li>
        ))}
      </ul>
      {search.hasMore && <NextPage search={search} list={list} />}
      {offer &&
        renderOffer(offer, {
          onJoined: () => openJoined(offer.class.classId),
          onCancel: decline,
        })}
    </div>
  );
}

/** Loads further pages on scroll. A button does the same for keyboard users. */
function NextPage({ search, list }: Pick<Props, 'search' | 'list'>) {
  const { items, failure, isLoading } = search;
  const end = useNearEnd<HTMLDivElement>(items.length, (element) => {
    // A focused button must not move under the member, and after a failure only the button retries.
    if (!failure && !element.contains(document.activeElement)) search.showMore();
  });
  /** The number of results when the button was pressed. The focus moves to the next result. */
  const previousCount = useRef<number | null>(null);
  useEffect(() => {
    if (previousCount.current === null || items.length <= previousCount.current) return;
    const next = list.current?.children[previousCount.current];
    next?.querySelector<HTMLElement>('[data-hit-action]')?.focus();
    previousCount.current = null;
  }, [items.length, list]);
  const handlePress = () => {
    previousCount.current = items.length;
    if (failure) failure.retry();
    else search.showMore();
  };
  return (
    <div className={styles.more} ref={end}>
      {failure && <p role="alert">{toErrorMessage(failure.error)}</p>}
      <Button aria-disabled={isLoading || failure?.isRetrying} onClick={handlePress}>
        {failure ? toRetryLabel(failure) : getText('common.showMore')}
      </Button>
    </div>
  );
}

const toRetryLabel = ({ isRetrying }: SearchFailure) =>
  isRetrying ? getText('classSearch.retrying') : getText('common.retry');

function SearchError({ failure }: { failure: SearchFailure }) {
  return (
    <div role="alert">
      <EmptyState text={toErrorMessage(failure.error)}>
        <Button aria-disabled={failure.isRetrying} onClick={failure.retry}>
          {toRetryLabel(failure)}
        </Button>
      </EmptyState>
    </div>
  );
}

type NoResultsProps = Pick<Props, 'hasFilters' | 'onClearFilters'> & { query: string };

function NoResults({ query, hasFilters, onClearFilters }: NoResultsProps) {
  const createLink = (
    <Link className={toButtonClass(hasFilters ? 'plain' : 'quiet')} to="/create">
      {query || hasFilters ? getText('classSearch.create') : getText('classSearch.createFirst')}
    </Link>
  );
  if (!query && !hasFilters) {
    return <EmptyState text={getText('classSearch.empty.noClasses')}>{createLink}</EmptyState>;
  }
  const filteredText = query
    ? getText('classSearch.empty.queryAndFilters', { query })
    : getText('classSearch.empty.filters');
  const text = hasFilters ? filteredText : getText('classSearch.empty.query', { query });
  return (
    <EmptyState text={text}>
      <div className={styles.ways}>
        {hasFilters && (
          <Button onClick={onClearFilters}>{getText('classSearch.clearFilters')}</Button>
        )}
        {createLink}
      </div>
    </EmptyState>
  );
}

/** Placeholder for the first results. It stays empty for a short delay. */
function SearchSkeleton({ shown }: { shown: boolean }) {
  return (
    <div role="status" aria-label={shown ? getText('classSearch.searching.label') : undefined}>
      {shown &&
        [180, 220, 150, 200].map((width) => (
          <div className={styles.waiting} key={width}>
            <Skeleton width={width} height={16} />
            <Skeleton width={96} />
            <Skeleton width={260} />
          </div>
        ))}
    </div>
  );
}

/** The distance below the window that counts as near, in pixels. */
const nearEndPx = 400;

/**
 * @returns a ref for an element. `onNear` runs when the element comes near the window, and again when `key` changes.
 */
function useNearEnd<E extends Element>(key: unknown, onNear: (end: E) => void) {
  const end = useRef<E>(null);
  const handleNear = useEffectEvent(onNear);
  useEffect(() => {
    const element = end.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) handleNear(element);
      },
      // The observer applies `rootMargin` only to its root, which must be the scrolling element.
      { root: element.closest('main'), rootMargin: `0px 0px ${nearEndPx}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- A new observer reports again an element that is still near.
  }, [key]);
  return end;
}
