// Which members an `@` in a text field may mean.
import type { Persona } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { compareText } from '#contract/text-order.ts';
import { isNameMatch } from '#web/data/members.ts';
import type { MentionDraft } from '#web/data/mention-draft.ts';
import { isOwnPersona, type RoomView } from '#web/sync/room/room.ts';
import { isInCode } from './is-in-code.ts';

/** An `@` and what follows it, up to the caret. */
export interface MentionQuery {
  start: number;
  end: number;
  /** The name without the `@`. */
  name: string;
}

const maxSuggestions = 8;

/** @returns null if no `@` before the caret begins a name */
export function findMentionQuery(
  { text, mentions }: MentionDraft,
  caret: number,
): MentionQuery | null {
  const searchStart = Math.max(0, caret - limits.personaName - 1);
  const start = searchStart + text.slice(searchStart, caret).lastIndexOf('@');
  if (text[start] !== '@' || start < searchStart) return null;
  const name = text.slice(start + 1, caret);
  const isInWord = /[\w.+\-/\\@]/.test(text[start - 1] ?? '');
  if (isInWord || /^\s|[\n\t]/.test(name) || isInCode(text, start)) return null;
  if (mentions.some(({ at }) => at === start)) return null;
  return { start, end: caret, name };
}

/**
 * Finds the personas with a word in their name that begins with the typed text. Recent speakers come first.
 *
 * @param members the personas of the class, or none while they load. The room's copies are newer.
 */
export function findSuggestions(
  members: readonly Persona[],
  view: Pick<RoomView, 'personas' | 'newest' | 'me' | 'staff'>,
  name: string,
): Persona[] {
  const { personas, newest } = view;
  const people = new Map(members.map((persona) => [persona.memberId, persona]));
  for (const [memberId, persona] of personas) people.set(memberId, persona);
  const matching = [...people.values()]
    .filter(({ memberId }) => !isOwnPersona(view, memberId))
    .filter((persona) => isNameMatch(persona, name));
  const lastMessageIndexes = new Map(newest.map(({ memberId }, index) => [memberId, index]));
  const toRecency = ({ memberId }: Persona) => lastMessageIndexes.get(memberId) ?? -1;
  return matching
    .toSorted(
      (persona, other) =>
        toRecency(other) - toRecency(persona) ||
        compareText(persona.anonymousName, other.anonymousName),
    )
    .slice(0, maxSuggestions);
}
