/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard. */
import { useMemo } from 'react';
import { Virtualizer } from 'virtua';
import type { Room, RoomView } from '#web/sync/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { MessageItem } from './message-item.tsx';
import { type MessageRow, toMessageRows } from './message-rows.ts';
import { useListScroll } from './use-list-scroll.ts';
import styles from './message-list.module.css';

/** The height of what stands above the first message, whatever it says. */
const topHeight = 56;

export function MessageList({ room, view }: { room: Room; view: RoomView }) {
  const rows = useMemo(() => toMessageRows(view.messages), [view.messages]);
  const { scroller, list, away, unseen, prepending, toBottom, onScroll } = useListScroll(
    room,
    view,
  );
  return (
    <>
      <div
        ref={scroller}
        className={styles.scroller}
        tabIndex={0}
        role="group"
        aria-label="Messages"
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
            onScroll={onScroll}
          >
            {(row: MessageRow) => (
              <MessageItem
                key={row.message.id}
                {...row}
                persona={view.personas.get(row.message.memberId)}
                mine={row.message.memberId === view.me || row.message.seq === null}
                room={room}
              />
            )}
          </Virtualizer>
        </div>
      </div>
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

function Top({ room, view }: { room: Room; view: RoomView }) {
  return (
    <div className={styles.top}>
      {view.older === 'none' && 'This is where the conversation begins.'}
      {view.older === 'loading' && 'Loading older messages…'}
      {view.older === 'failed' && (
        <Button look="plain" onClick={() => void room.loadOlder()}>
          Older messages could not be loaded. Retry
        </Button>
      )}
    </div>
  );
}
