// The room of a class: its messages, the composer, and what stands between them. It shows the `RoomView` of
// `sync/room` and calls the `Room`; rules and state are there and not here. Each folder is one part: `messages`
// (the list), `composer`, `text` (markup as elements), `pictures`, `reactions`, `emoji`, `pins`. A part that
// throws is replaced by a sentence, and never stops the composer, so that a member can always write.
import {
  type ComponentType,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Sanction } from '#contract/entities.ts';
import { browserErrors } from '#contract/browser-errors.ts';
import { saveReply, readEdit, readReply, useRestoredDraftCount } from '#web/data/drafts.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { formatMoment } from '#web/format.ts';
import { markupSettled, mayHaveMarkup } from '#web/markup/message-markup.ts';
import { createLazyModule, type LazyModule } from '#web/lazy-module.ts';
import { isOwn, speakerSanction, type Room, type RoomView } from '#web/sync/room/room.ts';
import type { Connection } from '#web/sync/engine/connection-status.ts';
import type { Store } from '#web/store.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorBoundary, Optional } from '#web/error-boundary.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { useShareLink } from '#web/ui/use-share-link.ts';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { Announcer } from './announcer.tsx';
import { ChatSkeleton } from './chat-skeleton.tsx';
import { StorageNotice } from './storage-notice.tsx';
import { Composer } from './composer/composer.tsx';
import { MessageList, type MessageListHandle } from './messages/message-list.tsx';
import { useDeletionOutcomes } from './messages/use-deletion-outcomes.ts';
import { useLinkedMessage } from './messages/use-linked-message.ts';
import { useNewMessages } from './messages/new-messages-line.tsx';
import { useDroppedPictures } from './composer/choose-picture.tsx';
import { useEnlarged } from './pictures/use-enlarged.ts';
import styles from './chat.module.css';

const closedRoom = createLazyModule(() => import('./composer/closed-room.tsx'));
const pictureOverlay = createLazyModule(() => import('./pictures/picture-overlay.tsx'));
const pinBar = createLazyModule(() => import('./pins/pin-bar.tsx'));

/** Finds a message with an unsaved edit from before the member switched classes. */
function unsavedEditIn({ messages }: RoomView): string | null {
  return messages.find(({ id }) => readEdit(id) !== null)?.id ?? null;
}

interface Props {
  classId: string;
  label: string;
  about: string;
  /** The term is over. */
  ended: boolean;
  /** The member may pin messages. */
  mayPin: boolean;
  room: Room;
  connection: Store<Connection>;
  /** Shown under the header. */
  banner: ReactNode;
  /** Shown at the end of the header. */
  tools: ReactNode;
  /** Opens the form that reports a message. */
  onReport: (target: ReportTarget) => void;
  /** Tells a sanctioned member what was decided. Few members ever see it. */
  sanctionNotice: LazyModule<{
    SanctionNotice: ComponentType<{ classId: string; sanction: Sanction }>;
  }>;
}

export function Chat(props: Props) {
  const { classId, label, about, mayPin, room, connection, banner, tools } = props;
  const view = useSyncExternalStore(room.subscribe, room.getSnapshot);
  const isRemoved = view.sanction?.kind === 'removed';
  const sanction = isRemoved ? view.sanction : speakerSanction(view);
  /** Only the reason of the removal is on screen, below the header. */
  const isBlank = isRemoved && view.messages.length === 0;
  const ended = props.ended || isRemoved;
  const state = useSyncExternalStore(connection.subscribe, connection.getSnapshot);
  /** No one can write. */
  const closed = ended || view.settings.readOnly;
  const hasNetwork = useIsOnline();
  const offline = state === 'offline' || !hasNetwork;
  const blocked = state === 'blocked' && hasNetwork;
  const isEmpty = view.state === 'ready' && view.messages.length === 0;
  // Messages would change their height if they were shown before their markup can be.
  const isSettled = useSyncExternalStore(markupSettled.subscribe, markupSettled.getSnapshot);
  const awaitsMarkup = !isSettled && view.messages.some(({ text }) => mayHaveMarkup(text));
  // Unsent messages are shown even before the room has loaded.
  const isLoading =
    awaitsMarkup || (view.state !== 'ready' && view.messages.length === 0 && !isRemoved);
  const composer = useRef<HTMLTextAreaElement>(null);
  const list = useRef<MessageListHandle>(null);
  useLinkedMessage(room, view.state === 'ready');
  // A member who leaves the room comes back to the newest message.
  useEffect(() => room.showNewest, [room]);
  const focusComposer = useCallback(() => composer.current?.focus({ preventScroll: true }), []);
  const [editingId, setEditingId] = useState(() => unsavedEditIn(view));
  const [replying, setReplying] = useState({ message: readReply(classId), chosen: false });
  // The room may no longer hold the message.
  const replyingTo =
    view.messages.find(({ id }) => id === replying.message?.id) ?? replying.message;
  const isReplyGone = replyingTo?.moderation === 'removed';
  const reply = useCallback(
    (id: string | null) => {
      const message = room.getSnapshot().messages.find((one) => one.id === id) ?? null;
      saveReply(classId, message);
      setReplying({ message, chosen: message !== null });
    },
    [classId, room],
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
    const last = view.messages.findLast(({ memberId }) => isOwn(view, memberId));
    if (last?.delivery === 'sent' && !last.isConcealed) setEditingId(last.id);
  };
  const restoredDraftCount = useRestoredDraftCount(classId);
  useDeletionOutcomes(room, view.failedDeletion);
  const newMessages = useNewMessages(room);
  useEffect(() => room.show(), [room]);
  useEffect(() => {
    room.markRead();
    return room.subscribe(room.markSeen);
  }, [room]);
  const notice = useRef<HTMLParagraphElement>(null);
  const wasActive = useRef(!closed);
  useEffect(() => {
    // The focused element was removed.
    if (closed && wasActive.current && document.activeElement === document.body) {
      notice.current?.focus({ preventScroll: true });
    }
    wasActive.current = !closed;
  }, [closed]);
  const share = useShareLink();
  const enlarged = useEnlarged();
  const enlargedUrl = enlarged.imageUrl;
  const isDragging = useDroppedPictures((files) => {
    if (closed || sanction) return;
    void room.staging.add(files);
    focusComposer();
  });
  return (
    <div className={styles.chat}>
      <header className={styles.head}>
        <div className={styles.headColumn}>
          <div className={styles.title}>
            <PageHeading className={styles.label}>{label}</PageHeading>
            {props.ended && <Tag>Ended</Tag>}
            {about && about.toUpperCase() !== label && (
              <p className={styles.about} dir="auto" title={about}>
                {about}
              </p>
            )}
          </div>
          <div className={styles.tools}>{tools}</div>
        </div>
      </header>
      <div role="status">
        {offline && (
          <p className={styles.offline}>
            You are offline.{!closed && ' Messages will be sent when you are back.'}
          </p>
        )}
        {view.keptAt !== null && (
          <p className={styles.offline}>
            These messages were kept on this device on {formatMoment(view.keptAt)}.
          </p>
        )}
        {offline && view.state === 'loading' && (
          <p className={styles.offline}>No messages of this class are kept on this device.</p>
        )}
        {blocked && (
          <p className={styles.offline}>
            Live updates are blocked.
            {!closed && ' Your messages are saved here and will be sent later.'} Try another
            network. If the problem continues, tell the operator of this server that WebSocket
            connections fail.
          </p>
        )}
        {(offline || blocked) && view.messages.some(({ delivery }) => delivery === 'sending') && (
          <StorageNotice />
        )}
      </div>
      {banner}
      {view.settings.pins.length > 0 && (
        <div className={styles.pins}>
          <OnDemand code={pinBar} isQuiet>
            {({ PinBar }) => (
              <Optional resetKey={view.settings.pins}>
                <PinBar classId={classId} room={room} view={view} />
              </Optional>
            )}
          </OnDemand>
        </div>
      )}
      <div className={isBlank ? undefined : styles.body}>
        {isLoading && !offline && <ChatSkeleton />}
        {isEmpty && (
          <div className={styles.empty}>
            <EmptyState
              drawing="table"
              text={closed ? 'No messages.' : 'No messages yet. Say hello, or share the class.'}
            >
              {!ended && <Button onClick={() => void share(classId, label)}>Share Class</Button>}
            </EmptyState>
          </div>
        )}
        {!isLoading && !isEmpty && !isBlank && (
          <ErrorBoundary
            resetKey={view.messages}
            renderFallback={(retry) => (
              <div className={styles.empty} role="alert">
                <p>These messages could not be shown. You can still write.</p>
                <Button onClick={retry}>Retry</Button>
              </div>
            )}
          >
            <MessageList
              key={view.jump.count}
              handle={list}
              classId={classId}
              room={room}
              view={view}
              ended={ended}
              mayPin={mayPin && !ended}
              onReport={props.onReport}
              offline={offline}
              newMessages={newMessages}
              editingId={closed ? null : editingId}
              onReply={reply}
              onEdit={edit}
              onEnlarge={enlarged.show}
              onType={focusComposer}
            />
          </ErrorBoundary>
        )}
      </div>
      <Optional resetKey={view.newest}>
        <Announcer view={view} />
      </Optional>
      <p className={styles.typing}>{view.typing && !closed && 'Someone is typing…'}</p>
      <div role="status">
        {sanction && (
          <OnDemand code={props.sanctionNotice}>
            {({ SanctionNotice }) => <SanctionNotice classId={classId} sanction={sanction} />}
          </OnDemand>
        )}
      </div>
      <div className={closed ? styles.ended : undefined}>
        <div role="status">
          {closed && !isRemoved && (
            <p ref={notice} tabIndex={-1}>
              {browserErrors[ended ? 'CLASS_ENDED' : 'READ_ONLY'].message}
            </p>
          )}
        </div>
        {closed && (
          <OnDemand code={closedRoom}>
            {({ ClosedRoom }) => (
              <ClosedRoom
                classId={classId}
                room={room}
                editedId={unsavedEditIn(view)}
                ended={props.ended}
              />
            )}
          </OnDemand>
        )}
      </div>
      {!closed && (
        <Composer
          // A new field shows the draft that 'Undo' has put back.
          key={restoredDraftCount}
          classId={classId}
          label={label}
          field={composer}
          room={room}
          view={view}
          replyingTo={isReplyGone ? null : replyingTo}
          onCancelReply={() => reply(null)}
          onEditLast={editLast}
          onPage={(direction) => list.current?.scrollByPage(direction)}
          disabled={sanction !== null}
        />
      )}
      {enlargedUrl !== null && (
        <OnDemand code={pictureOverlay} onFailure={enlarged.close}>
          {({ PictureOverlay }) => (
            <PictureOverlay
              view={view}
              imageUrl={enlargedUrl}
              onShow={enlarged.show}
              onClose={enlarged.close}
            />
          )}
        </OnDemand>
      )}
      {isDragging && !closed && !sanction && (
        <div className={styles.drop}>
          <p>
            <Icon name="picture" />
            Drop pictures or PDFs to add them to your message
          </p>
        </div>
      )}
    </div>
  );
}
