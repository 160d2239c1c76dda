/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- a scrollable area must be reachable by keyboard, and its arrow keys move between messages. */
import { useCallback, useId, useMemo, useState } from 'react';
import { Virtualizer } from 'virtua';
import type { Room, RoomMessage, RoomView } from '#web/sync/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { Anchor } from '#web/ui/menu.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { MessageItem } from './message-item.tsx';
import { MessageMenu } from './message-menu.tsx';
import { type Quoted, type MessageRow, toMessageRows } from './message-rows.ts';
import { useListScroll } from './use-list-scroll.ts';
import { useMessageActions } from './use-message-actions.ts';
import { useMessageKeys } from './use-message-keys.ts';
import styles from './message-list.module.css';

/** The fixed height of the area above the first message. */
const topHeight = 56;

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  /** The class is read-only. */
  ended: boolean;
  /** The message that is being edited. */
  editingId: string | null;
  onReply: (id: string) => void;
  onEdit: (id: string | null) => void;
  onEnlarge: (id: string) => void;
  /** Moves the focus to the composer when the member types or presses Escape. */
  onType: () => void;
}

export function MessageList(props: Props) {
  const { room, view, ended, editingId, onReply, onEdit, onEnlarge, onType } = props;
  const { messages } = view;
  // In a class that has ended, no message is treated as the viewer's own.
  const me = ended ? null : view.me;
  const hint = useId();
  const actions = useMessageActions(room);
  const [menu, setMenu] = useState<{ id: string; at: Anchor } | null>(null);
  const openMenu = useCallback((id: string, at: Anchor) => setMenu({ id, at }), []);
  const closeMenu = useCallback(() => setMenu(null), []);
  const inMenu = messages.find(({ id }) => id === menu?.id);
  const whole = view.older === 'none';
  const rows = useMemo(() => toMessageRows(view.messages, whole), [view.messages, whole]);
  const { scroller, list, away, unseen, prepending, toBottom, onScroll } = useListScroll(
    room,
    view,
  );
  const keys = useMessageKeys({ messages, scroller, list, onMenu: openMenu, onType });
  const editingIndex = messages.findIndex(({ id }) => id === editingId);
  const remove = async (message: RoomMessage) => {
    const removed = await actions.remove(message);
    // The focused message was removed.
    if (removed && document.activeElement === document.body) scroller.current?.focus();
  };
  return (
    <>
      <VisuallyHidden>
        <span id={hint}>
          The arrow keys go from message to message, Enter opens the menu of one.
        </span>
      </VisuallyHidden>
      <div
        ref={scroller}
        className={styles.scroller}
        tabIndex={0}
        role="group"
        aria-label="Messages"
        aria-describedby={hint}
        onKeyDown={keys.onKeyDown}
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
            shift={prepending}
            bufferSize={600}
            // Scrolling must not unmount the focused message or the message that is being edited.
            keepMounted={[keys.focusedIndex, editingIndex].filter((index) => index >= 0)}
            onScroll={onScroll}
          >
            {(row: MessageRow) => (
              <MessageItem
                key={row.message.id}
                {...row}
                classId={props.classId}
                persona={view.personas.get(row.message.memberId)}
                quotedPersona={personaOf(row.quoted, view)}
                found={row.message.id === keys.found}
                mine={row.message.memberId === me || row.message.seq === null}
                me={me}
                ended={ended}
                room={room}
                actions={actions}
                editing={row.message.id === editingId}
                menuOpen={row.message.id === menu?.id}
                onReply={onReply}
                onEdit={onEdit}
                onGo={keys.goTo}
                onMenu={openMenu}
                onEnlarge={onEnlarge}
              />
            )}
          </Virtualizer>
        </div>
      </div>
      {menu && inMenu && (
        <MessageMenu
          message={inMenu}
          me={me}
          ended={ended}
          anchor={menu.at}
          actions={actions}
          onReply={onReply}
          onEdit={onEdit}
          onRemove={(message) => void remove(message)}
          onClose={closeMenu}
        />
      )}
      {away && (
        <div className={styles.jump}>
          {unseen > 0 ? (
            <button type="button" onClick={toBottom}>
              <Icon name="down" size={18} />
              {unseen} new
            </button>
          ) : (
            <button type="button" data-plain aria-label="To the newest" onClick={toBottom}>
              <Icon name="down" size={18} />
            </button>
          )}
        </div>
      )}
    </>
  );
}

function personaOf(quoted: Quoted | null, view: RoomView) {
  return quoted && typeof quoted !== 'string' ? view.personas.get(quoted.memberId) : undefined;
}

function Top({ room, view }: { room: Room; view: RoomView }) {
  return (
    <div className={styles.top}>
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
