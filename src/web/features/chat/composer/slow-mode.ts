import type { RoomView } from '#web/sync/room/room.ts';

/** When slow mode lets the member send again, in milliseconds; null if nothing is known to wait for. */
export function slowModeEnd({ settings, newest, messages, ...view }: RoomView): number | null {
  if (settings.slowModeSeconds === 0) return null;
  const author = view.speaker === 'staff' ? view.staff?.persona.memberId : view.me;
  const own = [...newest, ...messages].filter(
    ({ memberId, delivery }) => memberId === author && delivery !== 'failed',
  );
  if (own.length === 0) return null;
  return Math.max(...own.map(({ createdAt }) => createdAt)) + settings.slowModeSeconds * 1000;
}
