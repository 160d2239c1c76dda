// The lecture of a class, and what staff do with it.
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Lecture } from '#contract/entities.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { call, toErrorMessage } from '#web/api.ts';
import type { Room } from '#web/sync/room/room.ts';
import { useNotify } from '#web/ui/notices.tsx';

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

/** Marks that a question was answered aloud. A notice says why it could not be marked. */
export function useMarkDone(classId: string): (messageId: string, done: boolean) => void {
  const notify = useNotify();
  const marking = useMutation({
    mutationFn: ({ messageId, done }: { messageId: string; done: boolean }) =>
      call('markDone', { params: { classId, messageId }, body: { done } }),
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
  return (messageId, done) => marking.mutate({ messageId, done });
}

/** Builds the link that is opened on the computer of the hall. Browsers send no fragment, so no log has the token. */
export function toPresenterUrl(presenterToken: string): string {
  return `${location.origin}/present#${presenterToken}`;
}
