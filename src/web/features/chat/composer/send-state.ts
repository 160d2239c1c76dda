// As whom the member sends the next message, and when slow mode allows it.
import type { Persona } from '#contract/entities.ts';
import type { RoomView } from '#web/sync/room/room.ts';

/** The choice of the persona that sends the next message. */
export interface DraftSpeaker {
  /** The member may write as staff, or could when the draft began. */
  hasChoice: boolean;
  isChosen: boolean;
  /** The staff persona's name, if it speaks. */
  staffName: string | null;
}

/** @param isChoiceShown no message goes out before the member sees as whom */
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

/** The persona that sends the next message, if it is chosen and known. */
export function findSpeaker(view: RoomView): Persona | undefined {
  const { staff, speaker, me, personas } = view;
  if (speaker === 'self') return personas.get(me ?? '');
  return speaker === 'staff' ? staff?.persona : undefined;
}

/** When slow mode lets the member send again, in milliseconds; null if it has no wait for the member. */
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
