import { restoreDraft } from '#web/data/drafts.ts';
import { parseMessageText } from '#web/data/mention-draft.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

const offlineText = 'Message deleted. Others see it until you are back online.';
const busyText =
  'You are writing another message. Send it or clear it, then press Undo to get the deleted text back.';
const onlyTextText =
  'Your text is back. Its pictures and files are deleted: please add them again.';

interface Options {
  classId: string;
  room: Room;
  offline: boolean;
  /** The next message replies to this one, or to none. */
  onReply: (id: string | null) => void;
}

/** @returns asks and deletes the message, and resolves to whether the member confirmed. A notice offers to undo it. */
export function useRemoveMessage({ classId, room, offline, onReply }: Options) {
  const dialogs = useDialogs();
  const notify = useNotify();
  return async (message: RoomMessage): Promise<boolean> => {
    const action = { label: 'Delete', danger: true };
    if (!(await dialogs.confirm('Do you want to delete this message?', action))) return false;
    const { id, text, replyTo, images } = message;
    // Another tab has already deleted the message.
    if (!room.getSnapshot().messages.some((other) => other.id === id)) return true;
    room.remove(message);
    const undo = () => {
      const draft = parseMessageText(text, room.getSnapshot().personas);
      const isEmpty = room.staging.getSnapshot().pictures.length === 0;
      if (!isEmpty || !restoreDraft(classId, draft)) {
        return notify({ text: busyText, action: undoAction });
      }
      onReply(replyTo);
      if (images.length > 0) notify({ text: onlyTextText });
    };
    const undoAction = { label: 'Undo', run: undo, isUndo: true };
    notify({
      text: offline ? offlineText : 'Message deleted.',
      ...(text !== '' && { action: undoAction }),
    });
    return true;
  };
}
