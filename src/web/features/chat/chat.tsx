import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { errors } from '#contract/errors.ts';
import { keepReply, readEdit, readReply } from '#web/data/drafts.ts';
import type { Connection, Room, RoomView, Store } from '#web/sync/room.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { Announcer } from './announcer.tsx';
import { ChatSkeleton } from './chat-skeleton.tsx';
import { Composer } from './composer/composer.tsx';
import { UnsentDraft } from './composer/unsent-draft.tsx';
import { MessageList } from './messages/message-list.tsx';
import { useDroppedPicture } from './composer/choose-picture.tsx';
import { useEnlarged } from './pictures/use-enlarged.ts';
import styles from './chat.module.css';

const loadOverlay = () => import('./pictures/picture-overlay.tsx');
const PictureOverlay = lazy(() =>
  loadOverlay().then((module) => ({ default: module.PictureOverlay })),
);

/** Finds a message with an unsaved edit from before the member switched classes. */
function unsavedEditIn({ messages }: RoomView): string | null {
  return messages.find(({ id }) => readEdit(id) !== null)?.id ?? null;
}

interface Props {
  classId: string;
  label: string;
  about: string;
  /** The class is read-only. */
  ended: boolean;
  room: Room;
  connection: Store<Connection>;
  /** Shown at the end of the header. */
  tools: ReactNode;
}

export function Chat(props: Props) {
  const { classId, label, about, ended, room, connection, tools } = props;
  const view = useSyncExternalStore(room.subscribe, room.getSnapshot);
  const state = useSyncExternalStore(connection.subscribe, connection.getSnapshot);
  const networked = useIsOnline();
  const offline = state === 'offline' || !networked;
  const blocked = state === 'blocked' && networked;
  const empty = view.state === 'ready' && view.messages.length === 0;
  // Unsent messages are shown even before the room has loaded.
  const waiting = view.state !== 'ready' && view.messages.length === 0;
  const composer = useRef<HTMLTextAreaElement>(null);
  const focusComposer = useCallback(() => composer.current?.focus({ preventScroll: true }), []);
  const [editingId, setEditingId] = useState(() => unsavedEditIn(view));
  const [replying, setReplying] = useState({ id: readReply(classId), chosen: false });
  const replyingTo = view.messages.find(({ id }) => id === replying.id) ?? null;
  const reply = useCallback(
    (id: string | null) => {
      keepReply(classId, id);
      setReplying({ id, chosen: id !== null });
    },
    [classId],
  );
  // Runs after the menu closes, because the menu returns the focus to its message.
  useEffect(() => {
    if (replying.chosen) focusComposer();
  }, [replying, focusComposer]);
  const edit = useCallback(
    (id: string | null) => {
      setEditingId(id);
      if (id === null && matchMedia('(hover: hover)').matches) focusComposer();
    },
    [focusComposer],
  );
  const editLast = () => {
    const last = view.messages.findLast(({ memberId }) => memberId === view.me);
    if (last?.delivery === 'sent') setEditingId(last.id);
  };
  useEffect(() => {
    room.read();
    return room.subscribe(room.read);
  }, [room]);
  const notice = useRef<HTMLParagraphElement>(null);
  const wentOn = useRef(!ended);
  useEffect(() => {
    // The focused element was removed.
    if (ended && wentOn.current && document.activeElement === document.body) {
      notice.current?.focus({ preventScroll: true });
    }
    wentOn.current = !ended;
  }, [ended]);
  const enlarged = useEnlarged();
  const dragging = useDroppedPicture((file) => {
    if (ended) return;
    void room.staging.stage(file);
    focusComposer();
  });
  return (
    <div className={styles.chat}>
      <header className={styles.head}>
        <PageHeading className={styles.label}>{label}</PageHeading>
        {ended && <Tag>Ended</Tag>}
        {about && about.toUpperCase() !== label && (
          <p className={styles.about}>
            <bdi>{about}</bdi>
          </p>
        )}
        <div className={styles.tools}>{tools}</div>
      </header>
      <div role="status">
        {offline && (
          <p className={styles.offline}>
            You are offline.{!ended && ' Messages will be sent when you are back.'}
          </p>
        )}
        {blocked && (
          <p className={styles.offline}>
            Live updates cannot get through.
            {!ended && ' Your messages are kept here and sent when they can.'} Try another network.
            If this lasts, tell the operator of this server: WebSocket connections fail.
          </p>
        )}
      </div>
      <div className={styles.body}>
        {waiting && <ChatSkeleton />}
        {empty && (
          <div className={styles.empty}>
            <EmptyState
              drawing="table"
              text={ended ? 'No messages.' : 'No messages yet. Say hello, or share the class.'}
            />
          </div>
        )}
        {!waiting && !empty && (
          <MessageList
            classId={classId}
            room={room}
            view={view}
            ended={ended}
            editingId={ended ? null : editingId}
            onReply={reply}
            onEdit={edit}
            onEnlarge={enlarged.show}
            onType={focusComposer}
          />
        )}
      </div>
      <Announcer view={view} />
      <p className={styles.typing}>{view.typing && !ended && 'Someone is typing…'}</p>
      <div className={ended ? styles.ended : undefined}>
        <div role="status">
          {ended && (
            <p ref={notice} tabIndex={-1}>
              {errors.CLASS_ENDED.message}
            </p>
          )}
        </div>
        {ended && <UnsentDraft classId={classId} room={room} editedId={unsavedEditIn(view)} />}
      </div>
      {!ended && (
        <Composer
          classId={classId}
          label={label}
          field={composer}
          room={room}
          view={view}
          replyingTo={replyingTo}
          onCancelReply={() => reply(null)}
          onEditLast={editLast}
        />
      )}
      {enlarged.id !== null && (
        <Suspense>
          <PictureOverlay
            view={view}
            id={enlarged.id}
            onShow={enlarged.show}
            onClose={enlarged.close}
          />
        </Suspense>
      )}
      {dragging && !ended && (
        <div className={styles.drop}>
          <p>
            <Icon name="picture" />
            Drop a picture to add it to your message
          </p>
        </div>
      )}
    </div>
  );
}
