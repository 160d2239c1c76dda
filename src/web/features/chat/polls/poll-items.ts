// What the menu of a message offers about polls.
import { call, toErrorMessage } from '#web/api.ts';
import { isOwnPersona, type RoomMessage, type RoomView } from '#web/sync/room/room.ts';
import type { MenuItem } from '#web/ui/menu.tsx';

interface Options {
  classId: string;
  view: RoomView;
  message: RoomMessage;
  /** The viewer moderates the class. */
  mayModerate: boolean;
  notify: (notice: { text: string }) => void;
}

/** The asker, staff and moderators can close an open poll. */
export function listPollItems(options: Options): MenuItem[] {
  const { classId, view, message, mayModerate, notify } = options;
  const isStaff = view.staff?.maySpeak === true;
  const mayClose = isOwnPersona(view, message.memberId) || isStaff || mayModerate;
  const isOpen =
    message.poll !== null && 'closesAt' in message.poll && message.poll.closesAt !== null;
  if (!mayClose || !isOpen) return [];
  const close = () => {
    call('closePoll', { params: { classId, messageId: message.id } }).then(
      () => notify({ text: 'The poll is closed.' }),
      (error: unknown) => notify({ text: toErrorMessage(error) }),
    );
  };
  return [{ icon: 'clock', label: 'Close the poll now', action: close }];
}
