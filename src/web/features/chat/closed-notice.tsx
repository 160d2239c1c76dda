import { useEffect, useRef, useState } from 'react';
import { formatMoment, formatTimeOfDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { Status } from '#web/ui/status.tsx';
import type { ChatState } from './chat-state.ts';
import { findUnsavedEdit } from './use-reply-and-edit.ts';
import styles from './chat.module.css';

const closedRoom = createLazyModule(() => import('./composer/closed-room.tsx'));

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  state: ChatState;
  /** The term is over. */
  ended: boolean;
}

/** Replaces the composer while no one can write, and takes over its focus. Otherwise it is empty. */
export function ClosedNotice({ classId, room, view, state, ended }: Props) {
  const { closed } = state;
  const notice = useRef<HTMLParagraphElement>(null);
  const wasOpen = useRef(!closed);
  useEffect(() => {
    // The focused element was removed.
    if (closed && wasOpen.current && document.activeElement === document.body) {
      notice.current?.focus({ preventScroll: true });
    }
    wasOpen.current = !closed;
  }, [closed]);
  return (
    <div className={closed ? styles.ended : undefined}>
      <Status>
        {closed && !state.isRemoved && (
          <p ref={notice} tabIndex={-1}>
            <Reason view={view} ended={state.ended} />
          </p>
        )}
      </Status>
      {closed && (
        <OnDemand code={closedRoom}>
          {({ ClosedRoom }) => (
            <ClosedRoom
              classId={classId}
              room={room}
              editedId={findUnsavedEdit(view)}
              ended={ended}
            />
          )}
        </OnDemand>
      )}
    </div>
  );
}

/** Why no one can write. A class that moderators closed stays closed when a quiet time ends. */
function Reason({ view, ended }: Pick<Props, 'view' | 'ended'>) {
  const [now] = useState(() => new Date());
  const { settings, quietTime } = view;
  if (ended) return getText('error.CLASS_ENDED');
  if (settings.readOnly || !quietTime) return getText('error.READ_ONLY');
  const { until } = quietTime;
  const isToday = new Date(until).toDateString() === now.toDateString();
  return (
    <>
      <bdi className={styles.sentence}>{quietTime.sentence}</bdi>
      <br />
      {isToday
        ? getText('chat.closed.quietTime', { time: formatTimeOfDay(until) })
        : getText('chat.closed.quietTime.later', { moment: formatMoment(until) })}
    </>
  );
}
