// Which members an `@` in a text field may mean.
import type { Persona } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { compareText, foldText } from '#contract/text-order.ts';
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
  const from = Math.max(0, caret - limits.personaName - 1);
  const start = from + text.slice(from, caret).lastIndexOf('@');
  if (text[start] !== '@' || start < from) return null;
  const name = text.slice(start + 1, caret);
  const isInWord = /[\w.+\-/\\@]/.test(text[start - 1] ?? '');
  if (isInWord || /^\s|[\n\t]/.test(name) || isInCode(text, start)) return null;
  if (mentions.some(({ at }) => at === start)) return null;
  return { start, end: caret, name };
}

/**
 * The personas with a word that begins with the typed name. Recent speakers come first.
 *
 * @param members the personas of the class, if they are known. Those of the room are newer.
 */
export function findSuggestions(
  members: readonly Persona[],
  view: Pick<RoomView, 'personas' | 'newest' | 'me' | 'staff'>,
  name: string,
): Persona[] {
  const { personas, newest } = view;
  const people = new Map(members.map((persona) => [persona.memberId, persona]));
  for (const [memberId, persona] of personas) people.set(memberId, persona);
  const foldedQuery = foldText(name);
  const matching = [...people.values()]
    .filter(({ memberId }) => !isOwnPersona(view, memberId))
    .filter(({ anonymousName }) => isStartOfWord(foldText(anonymousName), foldedQuery));
  const lastSpokeAt = new Map(newest.map(({ memberId }, index) => [memberId, index]));
  const place = ({ memberId }: Persona) => lastSpokeAt.get(memberId) ?? -1;
  return matching
    .toSorted(
      (persona, other) =>
        place(other) - place(persona) || compareText(persona.anonymousName, other.anonymousName),
    )
    .slice(0, maxSuggestions);
}

function isStartOfWord(name: string, prefix: string): boolean {
  const starts = [0, ...[...name.matchAll(/ /g)].map(({ index }) => index + 1)];
  return starts.some((start) => name.startsWith(prefix, start));
}
