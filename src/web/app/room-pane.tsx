import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { classLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { call } from '#web/api.ts';
import { useLive } from '#web/app/live-provider.tsx';
import { dropClass } from '#web/data/classes.ts';
import { Chat } from '#web/features/chat/chat.tsx';
import { MembersButton } from '#web/features/persona/members-button.tsx';
import { PersonaButton } from '#web/features/persona/persona-button.tsx';
import { useTitle } from '#web/ui/use-title.ts';

/** Calls `drop` unless the server confirms that the user is a member. */
async function checkMembership(classId: string, drop: () => void): Promise<void> {
  try {
    const { joined } = await call('readClass', { params: { classId } });
    if (!joined) drop();
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') drop();
  }
}

/** Shows the room of one class. If the membership ends, the class also leaves the list. */
export function RoomPane({ of }: { of: Class }) {
  const live = useLive();
  const client = useQueryClient();
  const room = live.room(of.classId);
  const gone = useSyncExternalStore(room.subscribe, () => room.getSnapshot().state === 'gone');
  const label = classLabel(of);
  useTitle(label);
  useEffect(() => {
    if (gone) void checkMembership(of.classId, () => dropClass(client, of.classId));
  }, [gone, client, of.classId]);
  return (
    <Chat
      classId={of.classId}
      label={label}
      about={of.courseName?.trim() ?? ''}
      ended={of.ended}
      room={room}
      connection={live.connection}
      tools={
        <>
          {!of.ended && <PersonaButton classId={of.classId} label={label} room={room} />}
          <MembersButton classId={of.classId} label={label} />
        </>
      }
    />
  );
}
