import { useMemo } from 'react';
import type { Emoji } from '#contract/emojis.ts';
import { replaceMentionsWithNames } from '#web/mention-names.ts';
import { toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { useCopyText } from '#web/ui/copy-text.ts';
import { useNotify } from '#web/ui/notices.tsx';

export interface MessageActions {
  /** Sets the reaction, or removes it if it is already set. */
  react(message: RoomMessage, emoji: Emoji): Promise<void>;
  copy(message: RoomMessage): Promise<void>;
}

/** What a message offers without its menu. A notice says what failed. */
export function useMessageActions(room: Room): MessageActions {
  const notify = useNotify();
  const copy = useCopyText();
  return useMemo(
    () => ({
      async react({ id, reactions }, emoji) {
        const { me } = room.getSnapshot();
        const ownReaction = me === null ? undefined : reactions[me];
        try {
          await room.react(id, ownReaction === emoji ? null : emoji);
        } catch (error) {
          // If the message was deleted meanwhile, the error no longer matters.
          if (room.getSnapshot().messages.some((message) => message.id === id)) {
            notify({ text: getText('chat.reactions.failed', { reason: toErrorMessage(error) }) });
          }
        }
      },
      copy: ({ text }) => copy(replaceMentionsWithNames(text, room.getSnapshot().personas)),
    }),
    [room, notify, copy],
  );
}
