// What the menu of a message offers about polls.
import { isLectureOn } from '#contract/lecture-times.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { getText } from '#web/get-text.ts';
import { isOwnPersona } from '#web/sync/room/room.ts';
import type { MenuItem } from '#web/ui/menu.tsx';
import type { ItemContext } from '../messages/use-question-items.ts';

/**
 * The asker, staff and moderators can close an open poll. During a lecture, staff and moderators can show a poll of staff in the
 * hall.
 */
export function listPollItems(context: ItemContext): MenuItem[] {
  const { classId, room, view, message, mayModerate, notify } = context;
  const { id, memberId, poll } = message;
  if (poll === null || !('closesAt' in poll)) return [];
  const isStaff = view.staff?.maySpeak === true || mayModerate;
  const { lecture } = view.settings;
  const isOfStaff = view.personas.get(memberId)?.staff === true;
  const isShown = lecture?.pollId === id;
  const run = (calling: Promise<unknown>, text: string) => {
    calling.then(
      () => notify({ text }),
      (error: unknown) => notify({ text: toErrorMessage(error) }),
    );
  };
  const close: MenuItem = {
    icon: 'clock',
    label: getText('chat.poll.closeNow'),
    action: () =>
      run(
        call('closePoll', { params: { classId, messageId: id } }),
        getText('chat.poll.closeDone'),
      ),
  };
  const present: MenuItem = {
    icon: 'poll',
    label: isShown ? getText('chat.poll.unpresent') : getText('chat.poll.present'),
    action: () =>
      run(
        call('presentPoll', { params: { classId }, body: { messageId: isShown ? null : id } }),
        isShown ? getText('chat.poll.unpresentDone') : getText('chat.poll.presentDone'),
      ),
  };
  const mayClose = (isStaff || isOwnPersona(view, memberId)) && poll.closesAt !== null;
  const mayPresent = isStaff && isOfStaff && isLectureOn(lecture, room.serverNow());
  return [...(mayClose ? [close] : []), ...(mayPresent ? [present] : [])];
}
