import { isInCode } from '../composer/is-in-code.ts';

export interface EmojiQuery {
  name: string;
  /** The position of the first colon. */
  from: number;
  /** The position of the caret. */
  to: number;
}

const maxNameLength = 40;
const unfinished = /(?<=^|[\s(>*_~]):([\w+-]{2,40})$/;
const finished = /(?<=^|[\s(>*_~]):([\w+-]{2,40}):$/;

/** The name of an emoji that the member types before the caret: a colon and at least two characters. */
export function findUnfinishedEmoji(text: string, caret: number): EmojiQuery | null {
  return match(unfinished, text, caret);
}

/** A name between two colons before the caret. */
export function findFinishedEmoji(text: string, caret: number): EmojiQuery | null {
  return match(finished, text, caret);
}

function match(pattern: RegExp, text: string, caret: number): EmojiQuery | null {
  const start = Math.max(0, caret - maxNameLength - 3);
  const found = pattern.exec(text.slice(start, caret));
  const name = found?.[1];
  if (!found || name === undefined || isInCode(text, caret)) return null;
  return { name, from: start + found.index, to: caret };
}
