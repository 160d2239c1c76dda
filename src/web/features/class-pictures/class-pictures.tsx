// The pictures and PDFs of a class, newest first. The server lists them page by page; the browser leaves out what the
// member ignores or has hidden. A press leads to the message, where a picture can be enlarged and a PDF downloaded.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Picture } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { usePicture } from '#web/data/pictures.ts';
import { formatRelativeDay, formatTimeOfDay, toShownAlt } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { choosePictureGround } from '#web/ui/picture-ground.ts';
import { Status } from '#web/ui/status.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './class-pictures.module.css';

type Page = CallReply<'listPictures'>;

interface Props {
  classId: string;
  room: Room;
  /** The state of the history entry of an opened message. */
  messageState: unknown;
}

export function ClassPictures({ classId, room, messageState }: Props): ReactNode {
  const { ignored, hidden } = useStore(room.preferences);
  const picturesQuery = usePictures(classId, room);
  const messages = picturesQuery.data?.pages
    .flatMap((page) => page.messages)
    .filter(({ id, memberId }) => !hidden.has(id) && !ignored.has(memberId));
  const pictures = messages?.flatMap(({ images, ...message }) =>
    images.map((image) => ({ ...message, image })),
  );
  const list = useRef<HTMLUListElement>(null);
  /** The number of pictures when 'Show more' was pressed. The focus moves to the next one. */
  const previousCount = useRef<number | null>(null);
  const count = pictures?.length ?? 0;
  useEffect(() => {
    if (previousCount.current === null || count <= previousCount.current) return;
    list.current?.children[previousCount.current]?.querySelector('a')?.focus();
    previousCount.current = null;
  }, [count]);
  if (!pictures) {
    return <QueryState query={picturesQuery} skeleton={<Skeleton width="100%" height={96} />} />;
  }
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = picturesQuery;
  return (
    <div className={styles.pictures}>
      <Status>
        {count === 0 && !hasNextPage && <EmptyState text={getText('classPictures.empty')} />}
      </Status>
      <ul ref={list} className={styles.grid} aria-label={getText('classPictures.title')}>
        {pictures.map(({ id, createdAt, image }) => (
          <li key={image.imageUrl}>
            <PictureLink
              image={image}
              createdAt={createdAt}
              to={`/home/${classId}?message=${id}`}
              state={messageState}
            />
          </li>
        ))}
      </ul>
      {isFetchNextPageError && <p role="alert">{toErrorMessage(picturesQuery.error)}</p>}
      {hasNextPage && (
        <Button
          aria-disabled={isFetchingNextPage}
          onClick={() => {
            previousCount.current = count;
            void picturesQuery.fetchNextPage();
          }}
        >
          {isFetchingNextPage ? getText('classPictures.loading') : getText('common.showMore')}
        </Button>
      )}
    </div>
  );
}

/** Reads the list again when a message with pictures arrives, or when a message is deleted, hidden or removed. */
function usePictures(classId: string, room: Room) {
  const client = useQueryClient();
  const queryKey = ['class', classId, 'pictures'];
  const refresh = useEffectEvent(() => void client.invalidateQueries({ queryKey }));
  useEffect(
    () =>
      room.onMessageChanged(({ kind }) => {
        if (kind === 'deleted' || kind === 'moderated' || kind === 'unknown') refresh();
      }),
    [room],
  );
  const newestId = useStore(room, findNewestId);
  const [firstId] = useState(newestId);
  useEffect(() => {
    if (newestId !== firstId) refresh();
  }, [newestId, firstId]);
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage(classId, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: (page: Page) => page.nextBefore,
    // A deleted picture must not come back from memory.
    staleTime: 0,
    gcTime: 0,
  });
}

/** The next page that is not empty: a page of the server can be empty and still have a next one. */
async function fetchPage(classId: string, start: number | null): Promise<Page> {
  for (let cursor = start; ;) {
    const query = cursor === null ? {} : { before: cursor };
    const page = await call('listPictures', { params: { classId }, query });
    if (page.messages.length > 0 || page.nextBefore === null) return page;
    cursor = page.nextBefore;
  }
}

function findNewestId({ newest }: RoomView): string | null {
  return newest.findLast(({ images, seq }) => images.length > 0 && seq !== null)?.id ?? null;
}

interface PictureLinkProps {
  image: Picture;
  createdAt: number;
  to: string;
  state: unknown;
}

function Thumbnail({ image }: { image: Picture }) {
  const { src } = usePicture(image.thumbUrl);
  if (!src) return <Icon name={image.pages ? 'document' : 'picture'} />;
  const ground = choosePictureGround(image.placeholder);
  return <img data-ground={ground} src={src} alt="" draggable={false} />;
}

function PictureLink({ image, createdAt, to, state }: PictureLinkProps) {
  const [now] = useState(() => new Date());
  const { pages } = image;
  const alt = toShownAlt(image);
  const time = `${formatRelativeDay(createdAt, now)}, ${formatTimeOfDay(createdAt)}`;
  return (
    <Link className={styles.picture} to={to} state={state} draggable={false} title={time}>
      {image.spoiler ? <Icon name="eyeOff" /> : <Thumbnail image={image} />}
      {pages === undefined ? (
        <VisuallyHidden>
          {alt
            ? getText('classPictures.picture.described', { description: alt })
            : getText('classPictures.picture')}
        </VisuallyHidden>
      ) : (
        <span className={styles.file}>
          <span>{getText('classPictures.pdf', { count: pages })}</span>
          {alt && <bdi>{alt}</bdi>}
        </span>
      )}
      <VisuallyHidden>, {time}</VisuallyHidden>
    </Link>
  );
}
