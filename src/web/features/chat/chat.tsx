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
import { keepReply, readEdit, readReply } from '#web/data/drafts.ts';
import type { Connection, Room, RoomView, Store } from '#web/sync/room.ts';
import { ArrivalHeading } from '#web/ui/arrival-heading.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { Announcer } from './announcer.tsx';
import { ChatWaiting } from './chat-waiting.tsx';
import { Composer } from './composer.tsx';
import { MessageList } from './message-list.tsx';
import { useDroppedPicture } from './use-dropped-picture.ts';
import { useEnlarged } from './use-enlarged.ts';
import styles from './chat.module.css';

const loadOverlay = () => import('./picture-overlay.tsx');
const PictureOverlay = lazy(() =>
  loadOverlay().then((module) => ({ default: module.PictureOverlay })),
);

/** A change that was begun here before another class was looked at. */
function unsavedEditIn({ messages }: RoomView): string | null {
  return messages.find(({ id }) => readEdit(id) !== null)?.id ?? null;
}

interface Props {
  classId: string;
  label: string;
  about: string;
  room: Room;
  connection: Store<Connection>;
  /** What stands at the end of the header. */
  tools: ReactNode;
}

export function Chat({ classId, label, about, room, connection, tools }: Props) {
  const view = useSyncExternalStore(room.subscribe, room.getSnapshot);
  const state = useSyncExternalStore(connection.subscribe, connection.getSnapshot);
  const networked = useIsOnline();
  const offline = state === 'offline' || !networked;
  const empty = view.state === 'ready' && view.messages.length === 0;
  // What is being sent is shown even before the room itself came.
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
  // After the menu, which gives the focus back to its message when it closes.
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
  const enlarged = useEnlarged();
  const dragging = useDroppedPicture((file) => {
    void room.staging.stage(file);
    focusComposer();
  });
  return (
    <div className={styles.chat}>
      <header className={styles.head}>
        <ArrivalHeading className={styles.label}>{label}</ArrivalHeading>
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
            You are offline. Messages will be sent when you are back.
          </p>
        )}
      </div>
      <div className={styles.body}>
        {waiting && <ChatWaiting />}
        {empty && (
          <div className={styles.empty}>
            <EmptyState
              drawing="table"
              text="Nobody has said anything yet. You could be the first."
            />
          </div>
        )}
        {!waiting && !empty && (
          <MessageList
            classId={classId}
            room={room}
            view={view}
            editingId={editingId}
            onReply={reply}
            onEdit={edit}
            onEnlarge={enlarged.show}
            onType={focusComposer}
          />
        )}
      </div>
      <Announcer view={view} />
      <p className={styles.typing}>{view.typing && 'Somebody is typing…'}</p>
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
      {dragging && (
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
