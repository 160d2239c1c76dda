import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import type { CallReply } from '#contract/http.ts';
import { toErrorMessage } from '#web/api.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ClassHit } from './class-hit.tsx';
import { useJoinResult } from './use-join-result.ts';
import type { SearchFailure, SearchState } from './use-search-results.ts';
import styles from './search-screen.module.css';

interface Props {
  found: SearchState;
  hasFilters: boolean;
  onClearFilters: () => void;
  list: RefObject<HTMLUListElement | null>;
  onKeyDown: (event: React.KeyboardEvent) => void;
  renderOffer: RenderOffer;
}

/** Shows a class with a description or rules before the viewer joins it. */
export type RenderOffer = (
  offer: CallReply<'readClass'>,
  acts: { onJoined: () => void; onCancel: () => void },
) => ReactNode;

export function SearchResults(props: Props) {
  const { found, hasFilters, onClearFilters, list, onKeyDown, renderOffer } = props;
  const { items, total, failure, isLoading, isStalled } = found;
  const { isJoined, isJoining, joinAndOpen, offer, decline, openJoined } = useJoinResult();

  if (failure && !found.hasPagingError) return <SearchError failure={failure} />;
  const nothingYet = total === null || (isStalled && items.length === 0);
  if (nothingYet) return <SearchSkeleton shown={isStalled} />;
  if (items.length === 0) {
    return (
      <NoResults query={found.query} hasFilters={hasFilters} onClearFilters={onClearFilters} />
    );
  }
  return (
    <div className={styles.results}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons handle the keys. */}
      <ul
        ref={list}
        className={isStalled ? `${styles.hits} ${styles.stale}` : styles.hits}
        aria-label="Classes"
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
      {found.hasMore && <NextPage found={found} list={list} />}
      {offer &&
        renderOffer(offer, {
          onJoined: () => openJoined(offer.class.classId),
          onCancel: decline,
        })}
    </div>
  );
}

/** Loads further pages on scroll. A button does the same for keyboard users. */
function NextPage({ found, list }: Pick<Props, 'found' | 'list'>) {
  const { items, failure, isLoading } = found;
  const end = useNearEnd<HTMLDivElement>(items.length, (element) => {
    // If the button has the focus, it must not move: the member presses it. After a failure they press it, too.
    if (!failure && !element.contains(document.activeElement)) found.showMore();
  });
  /** The number of results when the button was pressed. The focus moves to the next result. */
  const previousCount = useRef<number | null>(null);
  useEffect(() => {
    if (previousCount.current === null || items.length <= previousCount.current) return;
    const next = list.current?.children[previousCount.current];
    next?.querySelector<HTMLElement>('[data-hit-action]')?.focus();
    previousCount.current = null;
  }, [items.length, list]);
  const press = () => {
    previousCount.current = items.length;
    if (failure) failure.retry();
    else found.showMore();
  };
  return (
    <div className={styles.more} ref={end}>
      {failure && <p role="alert">{toErrorMessage(failure.error)}</p>}
      <Button aria-disabled={isLoading || failure?.isRetrying} onClick={press}>
        {failure ? retryLabel(failure) : 'Show more'}
      </Button>
    </div>
  );
}

const retryLabel = ({ isRetrying }: SearchFailure) => (isRetrying ? 'Retrying…' : 'Retry');

function SearchError({ failure }: { failure: SearchFailure }) {
  return (
    <div role="alert">
      <EmptyState drawing="lens" text={toErrorMessage(failure.error)}>
        <Button aria-disabled={failure.isRetrying} onClick={failure.retry}>
          {retryLabel(failure)}
        </Button>
      </EmptyState>
    </div>
  );
}

type NoResultsProps = Pick<Props, 'hasFilters' | 'onClearFilters'> & { query: string };

function NoResults({ query, hasFilters, onClearFilters }: NoResultsProps) {
  const create = (
    <Link className={toButtonClass(hasFilters ? 'plain' : 'quiet')} to="/create">
      {query || hasFilters ? 'Create this class' : 'Create the first class'}
    </Link>
  );
  if (!query && !hasFilters) {
    return (
      <EmptyState drawing="lens" text="There are no classes yet.">
        {create}
      </EmptyState>
    );
  }
  const filtered = query
    ? `No class matches “${query}” and these filters.`
    : 'No class matches these filters.';
  const text = hasFilters
    ? filtered
    : `No class matches “${query}”. Try its number or a part of its name.`;
  return (
    <EmptyState drawing="lens" text={text}>
      <div className={styles.ways}>
        {hasFilters && <Button onClick={onClearFilters}>Clear the filters</Button>}
        {create}
      </div>
    </EmptyState>
  );
}

/** Placeholder for the first results. It stays empty for a short delay. */
function SearchSkeleton({ shown }: { shown: boolean }) {
  return (
    <div role="status" aria-label={shown ? 'Searching' : undefined}>
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
 * @returns a ref for an element. `act` runs when the element comes near the window, and again when `key`
 * changes.
 */
function useNearEnd<E extends Element>(key: unknown, act: (end: E) => void) {
  const end = useRef<E>(null);
  const onNear = useEffectEvent(act);
  useEffect(() => {
    const element = end.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNear(element);
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
