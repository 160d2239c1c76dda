// The room of a class: its messages, the composer, and what stands between them. It shows the `RoomView` of
// `sync/room` and calls the `Room`; rules and state are there and not here. Each folder is one part: `messages`
// (the list), `composer`, `text` (markup as elements), `pictures`, `reactions`, `emoji`, `pins`, `catch-up`. A part that
// throws is replaced by a sentence, and never stops the composer, so that a member can always write.
import {
  type ComponentType,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Persona, Sanction } from '#contract/entities.ts';
import { useRestoredDraftCount } from '#web/data/drafts.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { getText } from '#web/get-text.ts';
import { markupSettled } from '#web/markup/markup-parser.ts';
import { canHaveMarkup } from '#web/markup/message-markup.ts';
import { createLazyModule, type LazyModule } from '#web/lazy-module.ts';
import type { Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import type { Connection } from '#web/sync/engine/connection-status.ts';
import type { Store } from '#web/store.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorBoundary, Optional } from '#web/error-boundary.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { NoticePlace } from '#web/ui/notices.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { Status } from '#web/ui/status.tsx';
import { useShareLink } from '#web/ui/use-share-link.ts';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { useStore } from '#web/use-store.ts';
import { Announcer } from './announcer.tsx';
import { ChatHeader, ConnectionNotice, type PanelButton } from './chat-header.tsx';
import { ChatSkeleton } from './chat-skeleton.tsx';
import { type ChatState, toChatState } from './chat-state.ts';
import { ClosedNotice } from './closed-notice.tsx';
import { Composer } from './composer/composer.tsx';
import { MessageList, type MessageListHandle } from './messages/message-list.tsx';
import { useFailedActions } from './messages/use-failed-actions.ts';
import { useLinkedMessage } from './messages/use-linked-message.ts';
import { findFirstNew, type NewMessages, useNewMessages } from './messages/new-messages-line.tsx';
import { useDroppedPictures } from './composer/choose-picture.tsx';
import { useEnlargedPicture } from './pictures/use-enlarged-picture.ts';
import { useReplyAndEdit } from './use-reply-and-edit.ts';
import styles from './chat.module.css';

const pictureOverlay = createLazyModule(() => import('./pictures/picture-overlay.tsx'));
const pinBar = createLazyModule(() => import('./pins/pin-bar.tsx'));
const catchUpCard = createLazyModule(() => import('./catch-up/catch-up-card.tsx'));

interface Props {
  classId: string;
  label: string;
  courseName: string;
  /** The term is over. */
  ended: boolean;
  /** The member may pin messages. */
  mayPin: boolean;
  room: Room;
  connection: Store<Connection>;
  /** Shown at the start of the header. */
  menu: ReactNode;
  panelButton: PanelButton | null;
  /** Something else lies over the whole room. */
  covered: boolean;
  /** Shown under the header. */
  banner: ReactNode;
  /** Shown at the end of the header. */
  tools: ReactNode;
  /** Shown above the message field. */
  waiting: ReactNode;
  /** Shown in the composer of a newcomer. */
  introduction: ReactNode;
  /** Puts a mention of a person into the message field. */
  onMention: (persona: Persona) => void;
  /** Opens the form that reports a message or a person. */
  onReport: (target: ReportTarget) => void;
  /** Opens the form that moves a message to another topic. */
  onMove: (message: RoomMessage) => void;
  /** Tells a sanctioned member what was decided. Few members ever see it. */
  sanctionNotice: LazyModule<{
    SanctionNotice: ComponentType<{ classId: string; sanction: Sanction }>;
  }>;
}

export function Chat(props: Props) {
  const { classId, label, room } = props;
  const view = useStore(room);
  const state = useChatState(view, props);
  const { ended, closed, sanction, offline, content } = state;
  const composer = useRef<HTMLTextAreaElement>(null);
  const list = useRef<MessageListHandle>(null);
  const focusComposer = useCallback(() => composer.current?.focus({ preventScroll: true }), []);
  const replyAndEdit = useReplyAndEdit(classId, room, view, focusComposer);
  const { editingId, replyingTo, setReplyTo, edit } = replyAndEdit;
  const restoredDraftCount = useRestoredDraftCount(classId);
  useLinkedMessage(room, view.state === 'ready');
  useFailedActions(room, view.failedAction);
  const newMessages = useMarkAsRead(room);
  const share = useShareLink();
  const enlargedPicture = useEnlargedPicture();
  const enlargedUrl = enlargedPicture.imageUrl;
  const canWrite = !closed && !sanction;
  const isDragging = useDroppedPictures((files) => {
    if (!canWrite) return;
    void room.staging.add(files);
    focusComposer();
  });
  return (
    <div className={styles.chat}>
      <ChatHeader {...props} />
      <ConnectionNotice view={view} state={state} />
      {props.banner}
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
      <CatchUp classId={classId} room={room} view={view} newMessages={newMessages} />
      <div className={content === 'blank' ? undefined : styles.body}>
        {content === 'loading' && !offline && <ChatSkeleton />}
        {content === 'notKept' && (
          <div className={styles.empty}>
            <EmptyState text={getText('chat.empty.offline')} />
          </div>
        )}
        {content === 'empty' && (
          <div className={styles.empty}>
            <EmptyState text={toEmptyText(view, closed)}>
              {!ended && !view.topic && (
                <Button onClick={() => void share(classId, label)}>
                  {getText('chat.empty.share')}
                </Button>
              )}
            </EmptyState>
          </div>
        )}
        {content === 'messages' && (
          <ErrorBoundary
            resetKey={view.messages}
            renderFallback={(retry) => (
              <div className={styles.empty} role="alert">
                <p>{getText('chat.list.failed')}</p>
                <Button onClick={retry}>{getText('common.retry')}</Button>
              </div>
            )}
          >
            <MessageList
              key={`${view.topic?.topicId ?? ''} ${view.jump.count}`}
              handle={list}
              classId={classId}
              room={room}
              view={view}
              ended={ended}
              mayPin={props.mayPin && !ended}
              onMention={props.onMention}
              onReport={props.onReport}
              onMove={props.onMove}
              offline={offline}
              newMessages={newMessages}
              editingId={closed ? null : editingId}
              setReplyTo={setReplyTo}
              onEdit={edit}
              onEnlarge={enlargedPicture.show}
              onType={focusComposer}
            />
          </ErrorBoundary>
        )}
      </div>
      <Optional resetKey={view.newest}>
        <Announcer view={view} />
      </Optional>
      <p className={styles.typing}>{view.typing && !closed && getText('chat.typing')}</p>
      {!props.covered && <NoticePlace />}
      <Status>
        {sanction && (
          <OnDemand code={props.sanctionNotice}>
            {({ SanctionNotice }) => <SanctionNotice classId={classId} sanction={sanction} />}
          </OnDemand>
        )}
      </Status>
      {props.waiting}
      <ClosedNotice {...props} view={view} state={state} />
      {!closed && (
        <Composer
          // A new field shows the draft that 'Undo' has put back.
          key={restoredDraftCount}
          classId={classId}
          label={label}
          field={composer}
          room={room}
          view={view}
          replyingTo={replyingTo}
          onCancelReply={() => setReplyTo(null)}
          onEditLast={replyAndEdit.editLast}
          onPage={(direction) => list.current?.scrollByPage(direction)}
          disabled={sanction !== null}
          introduction={props.introduction}
        />
      )}
      {enlargedUrl !== null && (
        <OnDemand code={pictureOverlay} onFailure={enlargedPicture.close}>
          {({ PictureOverlay }) => (
            <PictureOverlay
              view={view}
              imageUrl={enlargedUrl}
              onShow={enlargedPicture.show}
              onClose={enlargedPicture.close}
            />
          )}
        </OnDemand>
      )}
      {isDragging && canWrite && (
        <div className={styles.drop}>
          <p>
            <Icon name="picture" />
            {getText('chat.composer.drop')}
          </p>
        </div>
      )}
    </div>
  );
}

interface CatchUpProps {
  classId: string;
  room: Room;
  view: RoomView;
  newMessages: NewMessages;
}

/**
 * The card for a member who comes back to unread messages, above their line, or above the list if that does not hold the
 * first of them. What the member marks as unread counts at the next visit.
 */
function CatchUp({ classId, room, view, newMessages: { range, place } }: CatchUpProps) {
  const [topPlace, setTopPlace] = useState<Element | null>(null);
  if (range === null || view.topic || view.readSeq <= range.afterSeq) return null;
  return (
    <>
      <div ref={setTopPlace} className={styles.catchUp} />
      <OnDemand code={catchUpCard} isQuiet>
        {({ CatchUpCard }) => (
          <Optional resetKey={range.afterSeq}>
            <CatchUpCard
              key={range.afterSeq}
              classId={classId}
              room={room}
              view={view}
              range={range}
              place={findFirstNew(view, range) === null ? topPlace : place}
            />
          </Optional>
        )}
      </OnDemand>
    </>
  );
}

function toEmptyText({ topic }: RoomView, isClosed: boolean): string {
  if (topic) return getText('topics.empty');
  return isClosed ? getText('chat.empty.closed') : getText('chat.empty.open');
}

function useChatState(view: RoomView, { ended, connection }: Props): ChatState {
  const isSettled = useStore(markupSettled);
  return toChatState(view, {
    ended,
    connection: useStore(connection),
    hasNetwork: useIsOnline(),
    isAwaitingMarkup: !isSettled && view.messages.some(({ text }) => canHaveMarkup(text)),
  });
}

/** Marks the messages on screen as read. @returns the messages that were new when the room opened */
function useMarkAsRead(room: Room): NewMessages {
  const newMessages = useNewMessages(room);
  useEffect(() => room.show(), [room]);
  useEffect(() => {
    room.markRead();
    return room.subscribe(room.markSeen);
  }, [room]);
  // A member who leaves the room comes back to the newest message of all. This comes last, or it would mark all as read.
  useEffect(
    () => () => {
      room.showTopic(null);
      room.showNewest();
    },
    [room],
  );
  return newMessages;
}
