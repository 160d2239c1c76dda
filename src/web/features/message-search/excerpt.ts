/** The start and the end of a match. The character at the end is not part of it. */
export type Mark = readonly [number, number];

export interface ExcerptPart {
  text: string;
  isMatch: boolean;
}

/** The characters before the first match, and in the whole excerpt. */
const lead = 60;
const maxLength = 200;

/** The part of the text around the first match, split at the matches. */
export function toExcerpt(text: string, marks: readonly Mark[]): ExcerptPart[] {
  const first = marks[0]?.[0] ?? 0;
  const from =
    text.length <= maxLength || first <= lead ? 0 : findWordStart(text, first - lead, first);
  const to = Math.min(text.length, findWordEnd(text, from + maxLength));
  const parts: ExcerptPart[] = [];
  const add = (part: string, isMatch: boolean) => {
    if (part) parts.push({ text: part, isMatch });
  };
  add(from > 0 ? '… ' : '', false);
  let position = from;
  for (const [start, end] of marks) {
    if (start >= to) break;
    add(text.slice(position, start), false);
    position = Math.min(end, to);
    add(text.slice(start, position), true);
  }
  add(text.slice(position, to), false);
  add(to < text.length ? ' …' : '', false);
  return parts;
}

/** The first start of a word from `position` to `max`. Text without spaces is cut between characters. */
function findWordStart(text: string, position: number, max: number): number {
  const space = text.slice(position, max).search(/\s/);
  return space < 0 ? findCharacterStart(text, position) : position + space + 1;
}

/** The last end of a word shortly before `position`, or the position itself. */
function findWordEnd(text: string, position: number): number {
  if (position >= text.length) return text.length;
  const tail = /\s\S*$/.exec(text.slice(position - 30, position));
  return tail ? position - tail[0].length : findCharacterStart(text, position);
}

/** Moves a position between the two halves of a surrogate pair to its start. */
function findCharacterStart(text: string, position: number): number {
  const code = text.charCodeAt(position);
  return code >= 0xdc00 && code <= 0xdfff ? position - 1 : position;
}
