// The lecture of a class, and what staff do with it.
import { useEffect, useState } from 'react';
import type { Lecture } from '#contract/entities.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import type { Room } from '#web/sync/room/room.ts';

/** Whether the lecture is on, by the clock of the server. */
export function useIsLectureOn(
  { serverNow }: Pick<Room, 'serverNow'>,
  lecture: Lecture | undefined,
): boolean {
  const [now, setNow] = useState(serverNow);
  const isOn = isLectureOn(lecture, now);
  const lastsUntil = lecture?.lastsUntil ?? 0;
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => setNow(serverNow()), lastsUntil - serverNow());
    return () => clearTimeout(timer);
  }, [isOn, lastsUntil, serverNow]);
  return isOn;
}

/** Builds the link that is opened on the computer of the hall. Browsers send no fragment, so no log has the token. */
export function toPresenterUrl(presenterToken: string): string {
  return `${location.origin}/present#${presenterToken}`;
}
