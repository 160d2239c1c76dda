import { isInCode } from '../composer/is-in-code.ts';

export interface EmojiQuery {
  name: string;
  /** The position of the first colon. */
  from: number;
  /** The position of the caret. */
  to: number;
}

const maxNameLength = 40;
const unfinishedPattern = /(?<=^|[\s(>*_~]):([\p{L}\p{M}\p{N}_+-]{2,40})$/u;
const finishedPattern = /(?<=^|[\s(>*_~]):([\p{L}\p{M}\p{N}_+-]{2,40}):$/u;

/** Finds the name of an emoji that the member is typing: a colon and at least two characters before the caret. */
export function findUnfinishedEmoji(text: string, caret: number): EmojiQuery | null {
  return match(unfinishedPattern, text, caret);
}

/** Finds a name between two colons before the caret. */
export function findFinishedEmoji(text: string, caret: number): EmojiQuery | null {
  return match(finishedPattern, text, caret);
}

function match(pattern: RegExp, text: string, caret: number): EmojiQuery | null {
  const start = Math.max(0, caret - maxNameLength - 3);
  const hit = pattern.exec(text.slice(start, caret));
  const name = hit?.[1];
  if (!hit || name === undefined || isInCode(text, caret)) return null;
  return { name, from: start + hit.index, to: caret };
}
