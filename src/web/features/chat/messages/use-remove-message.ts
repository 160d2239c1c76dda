import { restoreDraft, saveQuestionDraft } from '#web/data/drafts.ts';
import { parseMessageText } from '#web/data/mention-draft.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { summarizeMessage } from './message-summary.ts';

const offlineText = getText('chat.remove.doneOffline');
const busyText = getText('chat.remove.undoBusy');
const onlyTextText = getText('chat.remove.undoFiles');

/**
 * Creates a function that asks the member to confirm (DELETE-2), deletes the message and shows a notice with Undo.
 *
 * @param setReplyTo sets the message that the next message replies to; null: the next message is not a reply
 * @returns a function that resolves to false if the member did not confirm
 */
export function useRemoveMessage(
  classId: string,
  room: Room,
  offline: boolean,
  setReplyTo: (id: string | null) => void,
) {
  const dialogs = useDialogs();
  const notify = useNotify();
  return async (message: RoomMessage): Promise<boolean> => {
    const target = summarizeMessage(message, room.getSnapshot().personas);
    const action = { label: getText('common.delete'), danger: true, target };
    if (!(await dialogs.confirm(getText('chat.remove.confirm'), action))) return false;
    const { id, text, replyTo, images, question } = message;
    // Another tab may have deleted the message already.
    if (!room.getSnapshot().messages.some((roomMessage) => roomMessage.id === id)) return true;
    room.remove(message);
    const undo = () => {
      const draft = parseMessageText(text, room.getSnapshot().personas);
      const hasPictures = room.staging.getSnapshot().pictures.length > 0;
      if (hasPictures || !restoreDraft(classId, draft)) {
        return notify({ text: busyText, action: undoAction });
      }
      saveQuestionDraft(classId, question !== null);
      setReplyTo(replyTo);
      if (images.length > 0) notify({ text: onlyTextText });
    };
    const undoAction = { label: getText('common.undo'), run: undo, isUndo: true };
    notify({
      text: offline ? offlineText : getText('chat.remove.done'),
      ...(text !== '' && { action: undoAction }),
    });
    return true;
  };
}
