import { useEffect } from 'react';
import { getText } from '#web/get-text.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

const imageLeftText = getText('chat.remove.filesLeft');

/** Says what the server did not do, also if an earlier page of this browser asked for it. */
export function useFailedActions(room: Room, failedAction: RoomView['failedAction']): void {
  const { alert } = useDialogs();
  const notify = useNotify();
  const failedId = failedAction?.id;
  const failure = failedAction?.failure ?? '';
  useEffect(() => {
    if (failedId === undefined || room.getSnapshot().failedAction?.id !== failedId) return;
    room.discard(failedId);
    void alert(failure);
  }, [room, failedId, failure, alert]);
  useEffect(() => room.onImageLeft(() => notify({ text: imageLeftText })), [room, notify]);
}
