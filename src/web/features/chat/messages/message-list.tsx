/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- a scrollable area must be reachable by keyboard, and its arrow keys move between messages. */
import { type Ref, useId, useImperativeHandle, useState, type WheelEvent } from 'react';
import { Virtualizer } from 'virtua';
import { getText } from '#web/get-text.ts';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import type { Persona } from '#contract/entities.ts';
import { findTags } from '#contract/persona-name.ts';
import {
  findTopicName,
  hasMentionOfViewer,
  isOwnPersona,
  type RoomMessage,
  type RoomView,
} from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { useIsPrinting } from '#web/ui/printing.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { failedText, MessageItem } from './message-item.tsx';
import { MentionProvider } from '#web/ui/mention.tsx';
import { CollapsedLine } from './collapsed-line.tsx';
import { type MessageRights, toMessageRights } from './message-rights.ts';
import type { MessageRow } from './message-rows.ts';
import { summarizeMessage } from './message-summary.ts';
import { RowBoundary } from './row-boundary.tsx';
import { NewMessagesLine } from './new-messages-line.tsx';
import { type Arrivals, bufferPx, topHeight } from './use-list-scroll.ts';
import { type MessageActions, useMessageActions } from './use-message-actions.ts';
import { type MessageListOptions, useMessageList } from './use-message-list.ts';
import { useRowsInPlace } from './use-rows-in-place.ts';
import styles from './message-list.module.css';

const messageMenu = createPreloadedModule(() => import('./message-menu.tsx'));
const authorMenu = createPreloadedModule(() => import('./author-menu.tsx'));
const copiedMessages = createPreloadedModule(() => import('./copied-messages.ts'));
const swipeToReply = createLazyModule(() => import('./swipe-to-reply.tsx'));

interface Props extends MessageListOptions {
  /** The term is over. */
  ended: boolean;
  mayPin: boolean;
  /** Puts a mention of a person into the message field. */
  onMention: (persona: Persona) => void;
  /** Opens the form that reports a message or a person. */
  onReport: (target: ReportTarget) => void;
  /** Opens the form that moves a message to another topic. */
  onMove: (message: RoomMessage) => void;
  offline: boolean;
  /** The message that is being edited. */
  editingId: string | null;
  setReplyTo: (id: string | null) => void;
  onEdit: (id: string | null) => void;
  onEnlarge: (imageUrl: string) => void;
  /** Lets the composer scroll the list. */
  handle: Ref<MessageListHandle>;
}

export interface MessageListHandle {
  scrollByPage(direction: 'up' | 'down'): void;
}

export function MessageList(props: Props) {
  const { room, view, editingId } = props;
  const hintId = useId();
  const list = useMessageList(props);
  const { rows, scroll, keys } = list;
  const { bottom, isAway, scrollerRef, list: virtualizer } = scroll;
  const sharedProps = {
    ...props,
    list,
    tags: findTags(view.personas),
    rights: toMessageRights(view, props.ended, room.serverNow()),
    actions: useMessageActions(room),
  };
  useImperativeHandle(props.handle, () => bottom, [bottom]);
  useRowsInPlace(scrollerRef, bottom);
  const isPrinting = useIsPrinting();
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const editingIndex = view.messages.findIndex(({ id }) => id === editingId);
  return (
    <MentionProvider view={view}>
      <VisuallyHidden>
        <span id={hintId}>{getText('chat.list.keys')}</span>
      </VisuallyHidden>
      <div
        ref={scrollerRef}
        className={styles.scroller}
        tabIndex={0}
        role="group"
        aria-label={getText('chat.list.label')}
        aria-describedby={hintId}
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
          <PageState kind="older" state={view.older} onRetry={room.loadOlder} />
          <Virtualizer
            ref={virtualizer}
            scrollRef={scrollerRef}
            data={rows}
            as="ol"
            item="li"
            startMargin={topHeight}
            shift={scroll.isShifted}
            bufferSize={bufferPx}
            // Scrolling must not unmount the focused message or the message that is being edited.
            keepMounted={[
              ...[keys.focusedIndex, editingIndex].filter((index) => index >= 0),
              ...(isAway ? [] : listNewestIndexes(rows.length, scroll.newestRows)),
              ...rows.flatMap(({ message }, index) =>
                isPrinting || selectedIds.has(message.id) ? index : [],
              ),
            ]}
            onScroll={scroll.onScroll}
            onResize={bottom.onResize}
          >
            {(row: MessageRow) => <ListRow key={row.message.id} {...sharedProps} row={row} />}
          </Virtualizer>
          {view.newer !== 'none' && (
            <PageState kind="newer" state={view.newer} onRetry={room.loadNewer} />
          )}
        </div>
      </div>
      <OpenMenu {...sharedProps} />
      <OnDemand code={copiedMessages} isQuiet>
        {({ CopiedMessages }) => <CopiedMessages {...sharedProps} onSelect={setSelectedIds} />}
      </OnDemand>
      {sharedProps.rights.canSend && matchMedia('(any-pointer: coarse)').matches && (
        <OnDemand code={swipeToReply} isQuiet>
          {({ SwipeToReply }) => <SwipeToReply scroller={scrollerRef} onReply={props.setReplyTo} />}
        </OnDemand>
      )}
      {scroll.arrivals && (
        <JumpButton
          {...scroll.arrivals}
          onClick={scroll.scrollToBottom}
          // The button is over the list, and not in it.
          onWheel={({ deltaY }) => scrollerRef.current?.scrollBy({ top: deltaY })}
        />
      )}
    </MentionProvider>
  );
}

interface SharedProps extends Props {
  list: ReturnType<typeof useMessageList>;
  tags: ReadonlyMap<string, string>;
  rights: MessageRights;
  actions: MessageActions;
}

/** A message, or the line that stands for collapsed ones. */
function ListRow(props: SharedProps & { row: MessageRow }) {
  const { view, list, rights } = props;
  const { collapsed, ...row } = props.row;
  const { message } = row;
  const { id } = message;
  const { keys, onPickDay } = list;
  const isFirstNew = id === list.firstNewId;
  const newLine = isFirstNew && <NewMessagesLine {...props.newMessages} />;
  const isHighlighted = id === keys.highlightedId;
  if (collapsed === 'inside') return <div />;
  if (collapsed) {
    return (
      <CollapsedLine
        {...row}
        collapsed={collapsed}
        newLine={newLine}
        isHighlighted={isHighlighted}
        onShow={keys.show}
        onPickDay={onPickDay}
      />
    );
  }
  const quoted = typeof row.quoted === 'string' ? null : row.quoted;
  const hasAuthorMenu =
    view.personas.has(message.memberId) && !isOwnPersona(view, message.memberId);
  return (
    <RowBoundary
      message={message}
      render={(retry) => (
        <MessageItem
          {...row}
          // The author's name is repeated under the line.
          startsGroup={row.startsGroup || isFirstNew}
          classId={props.classId}
          persona={view.personas.get(message.memberId)}
          topicName={view.topic ? undefined : findTopicName(view, message)}
          tag={props.tags.get(message.memberId)}
          summary={retry ? failedText : summarizeMessage(message, view.personas)}
          mentionsMe={hasMentionOfViewer(message, view)}
          quotedPersona={quoted ? view.personas.get(quoted.memberId) : undefined}
          isQuoteIgnored={isQuoteIgnored(row, view)}
          newLine={newLine}
          isHighlighted={isHighlighted}
          isMine={rights.isMine(message)}
          mayEdit={rights.mayEdit(message)}
          me={rights.me}
          canSend={rights.canSend}
          isOffline={props.offline && message.seq === null}
          room={props.room}
          actions={props.actions}
          editing={id === props.editingId}
          menuOpen={id === list.menu?.id && list.menu.kind === 'message'}
          setReplyTo={props.setReplyTo}
          onEdit={props.onEdit}
          onJumpTo={list.onJumpTo}
          onOpenMenu={list.openMenu}
          onOpenAuthorMenu={hasAuthorMenu ? list.openAuthorMenu : null}
          onEnlarge={props.onEnlarge}
          onPickDay={onPickDay}
          onShowAgain={
            retry &&
            (() => {
              retry();
              keys.show([id]);
            })
          }
        />
      )}
    />
  );
}

/** The menu of the message, or of the author, on which the member opened it. */
function OpenMenu(props: SharedProps) {
  const { menu, closeMenu, scroll } = props.list;
  const message = props.view.messages.find(({ id }) => id === menu?.id);
  if (!menu || !message) return null;
  if (menu.kind === 'author') {
    const persona = props.view.personas.get(message.memberId);
    if (!persona) return null;
    return (
      <OnDemand code={authorMenu} onFailure={closeMenu}>
        {({ AuthorMenu }) => (
          <AuthorMenu
            {...props}
            persona={persona}
            tag={props.tags.get(persona.memberId)}
            anchor={menu.anchor}
            onMention={props.rights.canSend ? props.onMention : null}
            onClose={closeMenu}
          />
        )}
      </OnDemand>
    );
  }
  if (message.isConcealed) return null;
  return (
    <OnDemand code={messageMenu} onFailure={closeMenu}>
      {({ MessageMenu }) => (
        <MessageMenu
          {...props}
          message={message}
          anchor={menu.anchor}
          scroller={scroll.scrollerRef}
          onClose={closeMenu}
        />
      )}
    </OnDemand>
  );
}

interface JumpProps extends Arrivals {
  onClick: () => void;
  onWheel: (event: WheelEvent) => void;
}

function JumpButton({ count, isComplete, onClick, onWheel }: JumpProps) {
  const isPlain = count === 0;
  return (
    <div className={`${styles.jump} screen-only`} data-scrolled-up>
      <button
        type="button"
        data-plain={isPlain || undefined}
        aria-label={isPlain ? getText('chat.list.toNewest') : undefined}
        onClick={onClick}
        onWheel={onWheel}
      >
        <Icon name="down" size={18} />
        {!isPlain &&
          (isComplete
            ? getText('chat.list.jump', { count })
            : getText('chat.list.jumpAtLeast', { count }))}
      </button>
    </div>
  );
}

/** Says whether the class has messages beyond those that the room holds. */
function PageState(props: {
  kind: 'older' | 'newer';
  state: RoomView['older'];
  onRetry: () => Promise<void>;
}) {
  const { kind, state } = props;
  return (
    <div className={styles.top} style={{ height: topHeight }}>
      {state !== 'none' && (
        <p className={styles.leftOut}>{getText('chat.list.notPrinted', { kind })}</p>
      )}
      {state === 'none' && getText('chat.list.start')}
      {state === 'loading' && <p>{getText('chat.list.loadingPage', { kind })}</p>}
      {state === 'failed' && (
        <Button variant="plain" onClick={() => void props.onRetry()}>
          {getText('chat.list.pageFailed', { kind })}
        </Button>
      )}
    </div>
  );
}

/** Each new message scrolls the list down. Meanwhile virtua would unmount the rows above the window. CHAT-42 */
function listNewestIndexes(count: number, newestRowCount: number): number[] {
  const mountedCount = Math.min(count, newestRowCount);
  return Array.from({ length: mountedCount }, (_, n) => count - mountedCount + n);
}

function isQuoteIgnored({ quoted }: MessageRow, { preferences }: RoomView): boolean {
  if (!quoted || typeof quoted === 'string') return false;
  return preferences.ignored.has(quoted.memberId) || preferences.hidden.has(quoted.id);
}
