import { useMemo } from 'react';
import type { Emoji } from '#contract/emojis.ts';
import { nameMentions } from '#contract/mentions.ts';
import { errorMessage } from '#web/api.ts';
import { restoreDraft } from '#web/data/drafts.ts';
import { fromMessageText } from '#web/data/mention-draft.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { useCopyText } from '#web/ui/copy-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

const offlineText = 'Message deleted. Others see it until you are back online.';
const busyText =
  'You are writing another message. Send it or clear it, then press Undo to get the deleted text back.';
const onlyTextText =
  'Your text is back. Its pictures and files are deleted: please add them again.';

/** Only moderators need it. */
const pinning = createLazyModule(() => import('../pins/pin-message.ts'));

export interface MessageActions {
  /** Sets the reaction, or removes it if it is already set. */
  react(message: RoomMessage, emoji: Emoji): Promise<void>;
  copy(message: RoomMessage): Promise<void>;
  copyLink(link: string): Promise<void>;
  pin(message: RoomMessage, pinned: boolean): Promise<void>;
  /** Asks, and deletes the message. @returns whether the member confirmed */
  remove(message: RoomMessage): Promise<boolean>;
}

interface Options {
  classId: string;
  room: Room;
  offline: boolean;
  /** The next message replies to this one, or to none. */
  onReply: (id: string | null) => void;
}

/** The actions on a sent message, with an alert if one fails. */
export function useMessageActions({ classId, room, offline, onReply }: Options): MessageActions {
  const dialogs = useDialogs();
  const notify = useNotify();
  const copy = useCopyText();
  return useMemo(() => {
    const isThere = ({ id }: RoomMessage) =>
      room.getSnapshot().messages.some((message) => message.id === id);
    return {
      async react(message, emoji) {
        const { me } = room.getSnapshot();
        const mine = me === null ? undefined : message.reactions[me];
        try {
          await room.react(message.id, mine === emoji ? null : emoji);
        } catch (error) {
          // If the message was deleted meanwhile, the error no longer matters.
          if (isThere(message)) {
            notify({ text: `Your reaction was not saved. ${errorMessage(error)}` });
          }
        }
      },
      copy: ({ text }) => copy(nameMentions(text, room.getSnapshot().personas)),
      copyLink: copy,
      async pin(message, pinned) {
        await pinning.load();
        const code = pinning.getSnapshot();
        notify({
          text: code
            ? await code.pin(classId, message.id, pinned)
            : 'This was not saved. Please check your connection.',
        });
      },
      async remove(message) {
        const action = { label: 'Delete', danger: true };
        if (!(await dialogs.confirm('Do you want to delete this message?', action))) return false;
        // Another tab has already deleted the message.
        if (!isThere(message)) return true;
        room.remove(message);
        const { text, replyTo, images } = message;
        const undo = () => {
          const draft = fromMessageText(text, room.getSnapshot().personas);
          const isEmpty = room.staging.getSnapshot().pictures.length === 0;
          if (!isEmpty || !restoreDraft(classId, draft))
            return notify({ text: busyText, action: undoAction });
          onReply(replyTo);
          if (images.length > 0) notify({ text: onlyTextText });
        };
        const undoAction = { label: 'Undo', act: undo, isUndo: true };
        notify({
          text: offline ? offlineText : 'Message deleted.',
          ...(text !== '' && { action: undoAction }),
        });
        return true;
      },
    };
  }, [classId, room, offline, onReply, dialogs, notify, copy]);
}
