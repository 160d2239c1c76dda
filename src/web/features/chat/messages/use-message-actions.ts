import { useMemo } from 'react';
import type { Emoji } from '#contract/emojis.ts';
import { nameMentions } from '#contract/mentions.ts';
import { errorMessage } from '#web/api.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { undoMs } from '#web/sync/pending-deletions.ts';
import type { Room, RoomMessage } from '#web/sync/room.ts';
import { useCopyText } from '#web/ui/copy-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

const imageLeftText =
  'The message is deleted. Its files could not be deleted yet: the server tries again.';

/** Only moderators need it. */
const pinning = createLazyModule(() => import('../pins/pin-message.ts'));

export interface MessageActions {
  /** Sets the reaction, or removes it if it is already set. */
  react(message: RoomMessage, emoji: Emoji): Promise<void>;
  copy(message: RoomMessage): Promise<void>;
  copyLink(link: string): Promise<void>;
  pin(classId: string, message: RoomMessage, pinned: boolean): Promise<void>;
  /** Asks, and hides the message. @returns whether the member confirmed */
  remove(message: RoomMessage): Promise<boolean>;
}

/** The actions on a sent message, with an alert if one fails. */
export function useMessageActions(room: Room): MessageActions {
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
      async pin(classId, message, pinned) {
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
        room.remove(message.id).then(
          ({ imageLeft }) => {
            if (imageLeft) notify({ text: imageLeftText });
          },
          (error: unknown) => void dialogs.alert(errorMessage(error)),
        );
        const undo = () => {
          if (!room.undoRemove(message.id)) notify({ text: 'The message was already deleted.' });
        };
        notify({
          text: 'Message deleted.',
          action: { label: 'Undo', act: undo, isUndo: true },
          durationMs: undoMs,
        });
        return true;
      },
    };
  }, [room, dialogs, notify, copy]);
}
