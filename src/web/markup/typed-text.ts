// Parts of a message as their author typed them, in which only the tokens of mentions mean something.
import { parseMentionTokens } from '#contract/mentions.ts';
import type { Piece, Text } from './markup.ts';

/**
 * The part of the source between the two offsets, with its mentions, and without the backslashes that escape other
 * tokens.
 */
export function parseTypedText(source: string, from: number, to: number): Piece[] {
  // An escape can be before the part.
  const start = Math.max(0, from - 1);
  const pieces: Piece[] = [];
  let offset = from;
  const addText = (endOffset: number) => {
    if (endOffset > offset) pieces.push(createText(source.slice(offset, endOffset), offset));
  };
  for (const token of parseMentionTokens(source.slice(start, to))) {
    const tokenStart = start + token.start;
    if (tokenStart < offset) continue;
    addText(token.isEscaped ? tokenStart - 1 : tokenStart);
    if (token.isEscaped) {
      offset = tokenStart;
    } else {
      pieces.push({ kind: 'mention', memberId: token.memberId });
      offset = start + token.end;
    }
  }
  addText(to);
  return pieces;
}

export function createText(text: string, from: number): Text {
  return { kind: 'text', text, from };
}
