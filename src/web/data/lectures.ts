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
  const [isOn, setIsOn] = useState(() => isLectureOn(lecture, serverNow()));
  useEffect(() => {
    const update = () => setIsOn(isLectureOn(lecture, serverNow()));
    update();
    if (lecture?.lastSeq !== null) return;
    // No timer until the end, because the time of the server can become known later, and timers stop while a computer sleeps.
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [lecture, serverNow]);
  return isOn;
}

/** The state of a history entry that opens the room of a class with 'Lecture' next to it. */
export const lecturePanelState = { panel: { kind: 'questions', tab: 'lecture' }, hasEntry: false };

/** Builds the link that is opened on the computer of the hall. Browsers send no fragment, so no log has the token. */
export function toPresenterUrl(presenterToken: string): string {
  return `${location.origin}/present#${presenterToken}`;
}
