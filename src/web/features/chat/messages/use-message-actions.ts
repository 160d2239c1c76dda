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
  /** Picks this reaction, or takes it away where it is mine already. */
  react(message: RoomMessage, emoji: Emoji): Promise<void>;
  copy(message: RoomMessage): Promise<void>;
  /** @returns whether it is deleted, as far as this browser knows */
  remove(message: RoomMessage): Promise<boolean>;
}

/** What one can do with a message that was sent, and what is said when it cannot be done. */
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
          // It may have been deleted meanwhile: there is nothing left to say about it.
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
        // Gone already, by another tab of mine: skipped.
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
