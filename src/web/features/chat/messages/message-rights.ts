import { isAskedIn, isHoldingQuestions } from '#contract/lecture-times.ts';
import {
  isOwnPersona,
  isReadOnly,
  type RoomMessage,
  type RoomView,
  findSpeakerSanction,
} from '#web/sync/room/room.ts';

/** What the viewer may do with the messages of a class. */
export interface MessageRights {
  /** The viewer's memberId. In a class that has ended, no message is treated as the viewer's own. */
  me: string | null;
  /** The class takes messages, and no moderator muted the viewer. */
  canSend: boolean;
  isMine(message: RoomMessage): boolean;
  mayEdit(message: RoomMessage): boolean;
}

/** @param now the time of the server */
export function toMessageRights(view: RoomView, hasEnded: boolean, now: number): MessageRights {
  const { staff, sanction, settings } = view;
  const isOpen = !hasEnded && !isReadOnly(view);
  const isMine = ({ memberId, seq }: RoomMessage) =>
    seq === null || (!hasEnded && isOwnPersona(view, memberId));
  // A question keeps the text that staff have released. LECT-83
  const isTextKept = (message: RoomMessage) =>
    message.question !== undefined &&
    message.seq !== null &&
    isHoldingQuestions(settings.lecture, now) &&
    isAskedIn(settings.lecture, message);
  return {
    me: hasEnded ? null : view.me,
    canSend: isOpen && findSpeakerSanction(view) === null,
    isMine,
    mayEdit(message) {
      if (!isOpen || !isMine(message)) return false;
      // A sanction and the role concern one of the two personas.
      const isStaff = message.memberId === staff?.persona.memberId;
      if (isStaff) return staff.maySpeak && !staff.sanction;
      return sanction === null && !isTextKept(message);
    },
  };
}
