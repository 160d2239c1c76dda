// Which members an `@` in a text field may mean.
import type { Persona } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { toShownName } from '#contract/persona-name.ts';
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

/** The list scrolls. Whoever is not in it is found by the start of the name. */
const maxSuggestions = 300;

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

const typedName = /(?<![\w.+\-/\\@])@[\p{L}\p{N}][\p{L}\p{M}\p{N}_’'-]*/gu;

/**
 * Finds a typed name that mentions no one, because it was not chosen from the list.
 *
 * @param query what the member types now, if the list may still have it
 */
export function findUnreachedName(
  { text, mentions }: MentionDraft,
  query: MentionQuery | null,
): string | null {
  const name = [...text.matchAll(typedName)].find(
    ({ index }) =>
      index !== query?.start && !mentions.some(({ at }) => at === index) && !isInCode(text, index),
  );
  return name?.[0] ?? null;
}

/** The personas of the class, or those of the room while the others load. The room's copies are newer. */
export function mergePeople(
  members: readonly Persona[],
  { personas }: Pick<RoomView, 'personas'>,
): RoomView['personas'] {
  const people = new Map(members.map((persona) => [persona.memberId, persona]));
  for (const [memberId, persona] of personas) people.set(memberId, persona);
  return people;
}

/** Finds the personas with a word in their name that begins with the typed text. Recent speakers come first. */
export function findSuggestions(
  people: RoomView['personas'],
  view: Pick<RoomView, 'newest' | 'me' | 'staff'>,
  name: string,
): Persona[] {
  const matching = [...people.values()]
    .filter(({ memberId }) => !isOwnPersona(view, memberId))
    .filter((persona) => isNameMatch(persona, name));
  const lastMessageIndexes = new Map(view.newest.map(({ memberId }, index) => [memberId, index]));
  const toRecency = ({ memberId }: Persona) => lastMessageIndexes.get(memberId) ?? -1;
  return matching
    .toSorted(
      (persona, other) =>
        toRecency(other) - toRecency(persona) ||
        compareText(toShownName(persona), toShownName(other)),
    )
    .slice(0, maxSuggestions);
}
