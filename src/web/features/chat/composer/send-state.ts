// As whom the draft of a room goes out, and when slow mode lets it.
import type { RoomView } from '#web/sync/room/room.ts';

/** Who the next message is from. */
export interface DraftSpeaker {
  /** The member may write as staff, or could until now. */
  hasChoice: boolean;
  isChosen: boolean;
  /** The staff persona's name, if it speaks. */
  staffName: string | null;
}

/** @param isChoiceShown no message goes out before it is visible as whom */
export function toDraftSpeaker(
  { staff, speaker }: Pick<RoomView, 'staff' | 'speaker'>,
  isChoiceShown: boolean,
): DraftSpeaker {
  const canSpeak = staff?.maySpeak === true;
  const isStaff = canSpeak && speaker === 'staff';
  const hasChoice = canSpeak || speaker !== 'self';
  return {
    hasChoice,
    isChosen: !hasChoice || (isChoiceShown && (isStaff || speaker === 'self')),
    staffName: isStaff ? staff.persona.anonymousName : null,
  };
}

/** When slow mode lets the member send again, in milliseconds; null if nothing is known to wait for. */
export function findSlowModeEnd({ settings, newest, messages, ...view }: RoomView): number | null {
  if (settings.slowModeSeconds === 0) return null;
  const author = view.speaker === 'staff' ? view.staff?.persona.memberId : view.me;
  const ownMessages = [...newest, ...messages].filter(
    ({ memberId, delivery }) => memberId === author && delivery !== 'failed',
  );
  if (ownMessages.length === 0) return null;
  return (
    Math.max(...ownMessages.map(({ createdAt }) => createdAt)) + settings.slowModeSeconds * 1000
  );
}
