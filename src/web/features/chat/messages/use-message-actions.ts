import { useMemo } from 'react';
import type { Emoji } from '#contract/emojis.ts';
import { errorMessage } from '#web/api.ts';
import type { Room, RoomMessage } from '#web/sync/room.ts';
import { copyText } from '#web/ui/copy-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';

const imageLeftText =
  'The message is deleted. Its picture could not be deleted yet: the server tries again.';

export interface MessageActions {
  /** Sets the reaction, or removes it if it is already set. */
  react(message: RoomMessage, emoji: Emoji): Promise<void>;
  copy(message: RoomMessage): Promise<void>;
  /** @returns whether the message is deleted, as far as this browser knows */
  remove(message: RoomMessage): Promise<boolean>;
}

/** The actions on a sent message, with an alert if one fails. */
export function useMessageActions(room: Room): MessageActions {
  const dialogs = useDialogs();
  const notify = useNotify();
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
      async copy({ text }) {
        if (await copyText(text)) notify({ text: 'Copied.' });
        else await dialogs.alert(`Copy the text here:\n\n${text}`);
      },
      async remove(message) {
        if (!(await dialogs.confirm('Do you want to delete this message?'))) return false;
        // Another tab has already deleted the message.
        if (!isThere(message)) return true;
        try {
          const { imageLeft } = await room.remove(message.id);
          if (imageLeft) notify({ text: imageLeftText });
          return true;
        } catch (error) {
          await dialogs.alert(errorMessage(error));
          return false;
        }
      },
    };
  }, [room, dialogs, notify]);
}
