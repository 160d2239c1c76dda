import { useNavigate } from 'react-router';
import { searchStalledMs } from '#contract/limits.ts';
import { sentenceOf } from '#web/api.ts';
import { useJoinClass } from '#web/data/classes.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useDelayed } from '#web/ui/use-delayed.ts';
import { ClassHit } from './class-hit.tsx';
import { useSearch } from './use-search.ts';
import styles from './search-screen.module.css';

function Waiting() {
  const shown = useDelayed(searchStalledMs);
  return (
    <div role="status" aria-label={shown ? 'Searching' : undefined}>
      {shown &&
        [180, 220, 150].map((width) => (
          <div className={styles.waiting} key={width}>
            <Skeleton width={width} height={16} />
            <Skeleton width={96} />
            <Skeleton width={260} />
          </div>
        ))}
    </div>
  );
}

export function SearchResults({ query }: { query: string }) {
  const navigate = useNavigate();
  const notify = useNotify();
  const search = useSearch(query);
  const join = useJoinClass();
  const joinAndOpen = (classId: string) => {
    if (join.isPending) return;
    join.mutate(classId, {
      onSuccess: () => void navigate('/', { state: { classId } }),
      onError: (error) => {
        console.error('Joining the class failed.', error);
        notify({ text: `The class was not joined. ${sentenceOf(error)}` });
      },
    });
  };

  if (search.isPending) return <Waiting />;
  if (search.isError && !search.isFetchNextPageError) {
    return (
      <div role="alert">
        <EmptyState drawing="lens" text={sentenceOf(search.error)}>
          <Button onClick={() => void search.refetch()}>Retry</Button>
        </EmptyState>
      </div>
    );
  }
  const hits = search.data.pages.flatMap((page) => page.hits);
  if (hits.length === 0) {
    const text = query
      ? `No class matches “${query}”. Try its number or a part of its name.`
      : 'There are no classes yet.';
    return <EmptyState drawing="lens" text={text} />;
  }
  return (
    <>
      <ul
        className={search.isPlaceholderData ? `${styles.hits} ${styles.stale}` : styles.hits}
        aria-label="Classes"
        aria-busy={search.isPlaceholderData}
      >
        {hits.map((hit) => (
          <li key={hit.objectID}>
            <ClassHit
              hit={hit}
              joining={join.isPending && join.variables === hit.objectID}
              onJoin={() => joinAndOpen(hit.objectID)}
            />
          </li>
        ))}
      </ul>
      {search.hasNextPage && (
        <div className={styles.more}>
          <Button
            aria-disabled={search.isFetchingNextPage}
            onClick={() => void search.fetchNextPage()}
          >
            {search.isFetchNextPageError ? 'Could not load more. Retry' : 'Show more'}
          </Button>
        </div>
      )}
    </>
  );
}
