import { useMemo } from 'react';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { useNotify } from '#web/ui/notices.tsx';

const failedText = getText('chat.open.failed');

/** Shows messages of any age, or says why they cannot be shown. */
export function useOpenMessage(room: Room) {
  const notify = useNotify();
  return useMemo(
    () => ({
      async openMessage(id: string) {
        const result = await room.openMessage(id);
        if (result === 'missing') notify({ text: getText('chat.open.missing') });
        if (result === 'failed') notify({ text: failedText });
      },
      /** @param time the start of the day, in milliseconds */
      async openDay(time: number) {
        if ((await room.openTime(time)) === 'failed') notify({ text: failedText });
      },
    }),
    [room, notify],
  );
}
