/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- a scrollable area must be reachable by keyboard, and its arrow keys move between messages. */
import {
  type Ref,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useState,
} from 'react';
import { Virtualizer } from 'virtua';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { defaultName } from '#contract/default-name.ts';
import { choosePreference } from '#web/data/preferences.ts';
import type { Choice } from '#web/data/save-preferences.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import {
  isOwn,
  type Room,
  type RoomMessage,
  type RoomView,
  speakerSanction,
} from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { Anchor } from '#web/ui/menu.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { failedText, MessageItem } from './message-item.tsx';
import { MentionProvider, mentionsViewer } from './mention.tsx';
import { CollapsedLine } from './collapsed-line.tsx';
import { foldRows, type MessageRow, toMessageRows } from './message-rows.ts';
import { messageSummary } from './message-summary.ts';
import { RowBoundary } from './row-boundary.tsx';
import { findFirstNew, type NewMessages } from './new-messages-line.tsx';
import { bufferPx, topHeight, useListScroll } from './use-list-scroll.ts';
import { useOpenMessage } from './use-open-message.ts';
import { useMessageActions } from './use-message-actions.ts';
import { useMessageKeys } from './use-message-keys.ts';
import styles from './message-list.module.css';

const messageMenu = createPreloadedModule(() => import('./message-menu.tsx'));

/** Older pages are loaded until they hold the first new message, or until the room holds this many messages. */
const maxSearched = 300;

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  /** The term is over. */
  ended: boolean;
  mayPin: boolean;
  /** Opens the form that reports a message. */
  onReport: (target: ReportTarget) => void;
  offline: boolean;
  /** The message that is being edited. */
  editingId: string | null;
  newMessages: NewMessages;
  onReply: (id: string | null) => void;
  onEdit: (id: string | null) => void;
  onEnlarge: (imageUrl: string) => void;
  /** Moves the focus to the composer when the member types or presses Escape. */
  onType: () => void;
  /** Lets the composer scroll the list. */
  handle: Ref<MessageListHandle>;
}

export interface MessageListHandle {
  scrollByPage(direction: 'up' | 'down'): void;
}

export function MessageList(props: Props) {
  const { handle, room, view, ended, editingId, onReply, onEdit, onEnlarge, onType } = props;
  const { messages } = view;
  const muted = speakerSanction(view) !== null;
  // In a class that has ended, no message is treated as the viewer's own.
  const me = ended ? null : view.me;
  const isMine = ({ memberId, seq }: RoomMessage) =>
    seq === null || (!ended && isOwn(view, memberId));
  const { staff, sanction } = view;
  // A sanction and the role concern one of the two personas.
  const mayEdit = ({ memberId }: RoomMessage) =>
    memberId === staff?.persona.memberId ? staff.maySpeak && !staff.sanction : sanction === null;
  const { readOnly, pins } = view.settings;
  const closed = ended || readOnly;
  const hint = useId();
  const actions = useMessageActions(props);
  const notify = useNotify();
  const choose = (choice: Choice) =>
    choosePreference({ classId: props.classId, preferences: room.preferences, notify }, choice);
  const [menu, setMenu] = useState<{ id: string; at: Anchor } | null>(null);
  const closeMenu = useCallback(() => setMenu(null), []);
  const menuMessage = messages.find(({ id }) => id === menu?.id);
  const { afterSeq, clear } = props.newMessages;
  const firstNewId = findFirstNew(view, afterSeq);
  const { messageId } = view.jump;
  /** Collapsed messages that the member wants to see. */
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(new Set([messageId ?? '']));
  const reveal = useCallback(
    (ids: readonly string[]) => setRevealed((old) => new Set([...old, ...ids])),
    [],
  );
  const rows = useMemo(
    () => foldRows(toMessageRows(messages), view.preferences, revealed, firstNewId),
    [messages, view.preferences, revealed, firstNewId],
  );
  const isOlderNew = afterSeq !== null && firstNewId === null && messages.length < maxSearched;
  const isLoadingNew = isOlderNew && view.older === 'some';
  useEffect(() => {
    if (isLoadingNew) void room.loadOlder();
  }, [room, isLoadingNew]);
  const isPending = isOlderNew && (view.older === 'some' || view.older === 'loading');
  const firstNew = isPending ? 'loading' : firstNewId === null ? null : { id: firstNewId };
  const scroll = useListScroll(props.classId, room, view, firstNew);
  const {
    scrollerRef: scroller,
    list,
    isAway,
    newCount,
    isShifted,
    scrollToBottom,
    onScroll,
  } = scroll;
  const { openMessage: open, openDay } = useOpenMessage(room);
  const newestId = view.newest.at(-1)?.id;
  const openMenu = useCallback((id: string, at: Anchor) => setMenu({ id, at }), []);
  const keys = useMessageKeys({
    rows,
    messages,
    messageId,
    scroller,
    list,
    onMenu: openMenu,
    onReveal: reveal,
    onType,
    onNewest: view.newer === 'none' || !newestId ? null : () => void open(newestId),
  });
  const onPickDay = useCallback((time: number) => void openDay(time), [openDay]);
  const { bottom } = scroll;
  const { jumpTo } = keys;
  const onJumpTo = useCallback(
    (id: string) => {
      reveal([id]);
      if (room.getSnapshot().messages.some((message) => message.id === id)) jumpTo(id);
      else void open(id);
    },
    [room, reveal, jumpTo, open],
  );
  useImperativeHandle(handle, () => bottom, [bottom]);
  const editingIndex = messages.findIndex(({ id }) => id === editingId);
  const report = ({ id, memberId, ...message }: RoomMessage) =>
    props.onReport({
      messageId: id,
      persona: view.personas.get(memberId) ?? {
        memberId,
        anonymousName: defaultName,
        icon: memberId,
      },
      summary: messageSummary(message, view.personas),
    });
  const remove = async (message: RoomMessage) => {
    if (!(await actions.remove(message))) return;
    // The focused message disappears with the next frame.
    await new Promise(requestAnimationFrame);
    if (document.activeElement === document.body) scroller.current?.focus();
  };
  return (
    <MentionProvider view={view}>
      <VisuallyHidden>
        <span id={hint}>
          Use the arrow keys to move between messages. Press Enter to open the menu of a message.
        </span>
      </VisuallyHidden>
      <div
        ref={scroller}
        className={styles.scroller}
        tabIndex={0}
        role="group"
        aria-label="Messages"
        aria-describedby={hint}
        onKeyDown={(event) => {
          if (event.key === 'PageUp') bottom.onGesture();
          keys.onKeyDown(event);
        }}
        onWheel={({ deltaY }) => {
          if (deltaY < 0) bottom.onGesture();
        }}
        onFocus={keys.onFocus}
      >
        <div className={styles.inner}>
          <Top room={room} view={view} />
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            data={rows}
            as="ol"
            item="li"
            startMargin={topHeight}
            shift={isShifted}
            bufferSize={bufferPx}
            // Scrolling must not unmount the focused message or the message that is being edited.
            keepMounted={[
              ...[keys.focusedIndex, editingIndex].filter((index) => index >= 0),
              ...(isAway ? [] : newestIndexes(rows.length, scroll.newestRows)),
            ]}
            onScroll={onScroll}
          >
            {({ folded, ...row }: MessageRow) =>
              folded ? (
                folded === 'inside' ? (
                  <div key={row.message.id} />
                ) : (
                  <CollapsedLine
                    key={row.message.id}
                    {...row}
                    fold={folded}
                    onClearNew={row.message.id === firstNewId ? clear : null}
                    isHighlighted={row.message.id === keys.highlightedId}
                    onShow={keys.show}
                    onPickDay={onPickDay}
                  />
                )
              ) : (
                <RowBoundary
                  key={row.message.id}
                  message={row.message}
                  render={(retry) => (
                    <MessageItem
                      {...row}
                      // The author's name is repeated under the line.
                      startsGroup={row.startsGroup || row.message.id === firstNewId}
                      classId={props.classId}
                      persona={view.personas.get(row.message.memberId)}
                      summary={retry ? failedText : messageSummary(row.message, view.personas)}
                      mentionsMe={mentionsViewer(row.message, view)}
                      quotedPersona={personaOf(row, view)}
                      isQuoteIgnored={isQuoteIgnored(row, view)}
                      onClearNew={row.message.id === firstNewId ? clear : null}
                      isHighlighted={row.message.id === keys.highlightedId}
                      mine={isMine(row.message)}
                      mayEdit={isMine(row.message) && mayEdit(row.message)}
                      me={me}
                      closed={closed}
                      muted={muted}
                      isOffline={props.offline && row.message.seq === null}
                      room={room}
                      actions={actions}
                      editing={row.message.id === editingId}
                      menuOpen={row.message.id === menu?.id}
                      onReply={onReply}
                      onEdit={onEdit}
                      onJumpTo={onJumpTo}
                      onMenu={openMenu}
                      onEnlarge={onEnlarge}
                      onPickDay={onPickDay}
                      onShowAgain={
                        retry &&
                        (() => {
                          retry();
                          keys.show([row.message.id]);
                        })
                      }
                    />
                  )}
                />
              )
            }
          </Virtualizer>
          <Bottom room={room} view={view} />
        </div>
      </div>
      {menu && menuMessage && !menuMessage.isConcealed && (
        <OnDemand code={messageMenu} onFailure={closeMenu}>
          {({ MessageMenu }) => (
            <MessageMenu
              classId={props.classId}
              message={menuMessage}
              me={me}
              ended={ended}
              mine={isMine(menuMessage)}
              mayEdit={mayEdit(menuMessage)}
              closed={closed || muted}
              isPinned={props.mayPin ? pins.includes(menuMessage.id) : null}
              anchor={menu.at}
              actions={actions}
              onReply={onReply}
              onEdit={onEdit}
              onRemove={(message) => void remove(message)}
              onMarkUnread={room.markUnreadFrom}
              preferences={view.preferences}
              onChoose={(choice) => void choose(choice)}
              onReport={isOwn(view, menuMessage.memberId) ? null : report}
              onClose={closeMenu}
            />
          )}
        </OnDemand>
      )}
      {isAway && (
        <div className={styles.jump}>
          {newCount > 0 ? (
            <button type="button" onClick={scrollToBottom}>
              <Icon name="down" size={18} />
              {newCount} new
            </button>
          ) : (
            <button
              type="button"
              data-plain
              aria-label="Go to the newest message"
              onClick={scrollToBottom}
            >
              <Icon name="down" size={18} />
            </button>
          )}
        </div>
      )}
    </MentionProvider>
  );
}

/** Each new message scrolls the list down. Meanwhile virtua would unmount the rows above the window. CHAT-60 */
function newestIndexes(count: number, newestRows: number): number[] {
  const kept = Math.min(count, newestRows);
  return Array.from({ length: kept }, (_, n) => count - kept + n);
}

function personaOf({ quoted }: MessageRow, view: RoomView) {
  return quoted && typeof quoted !== 'string' ? view.personas.get(quoted.memberId) : undefined;
}

function isQuoteIgnored({ quoted }: MessageRow, { preferences }: RoomView): boolean {
  if (!quoted || typeof quoted === 'string') return false;
  return preferences.ignored.has(quoted.memberId) || preferences.hidden.has(quoted.id);
}

function Top({ room, view }: { room: Room; view: RoomView }) {
  return (
    <div className={styles.top} style={{ height: topHeight }}>
      {view.older === 'none' && 'This is where the conversation begins.'}
      {view.older === 'loading' && 'Loading older messages…'}
      {view.older === 'failed' && (
        <Button variant="plain" onClick={() => void room.loadOlder()}>
          Older messages could not be loaded. Retry
        </Button>
      )}
    </div>
  );
}

function Bottom({ room, view }: { room: Room; view: RoomView }) {
  if (view.newer === 'none') return null;
  return (
    <div className={styles.top} style={{ height: topHeight }}>
      {view.newer === 'loading' && 'Loading newer messages…'}
      {view.newer === 'failed' && (
        <Button variant="plain" onClick={() => void room.loadNewer()}>
          Newer messages could not be loaded. Retry
        </Button>
      )}
    </div>
  );
}
