import { toMentionToken, splitMentions } from '#contract/mentions.ts';
import { getText } from '#web/get-text.ts';
import type { Block, Inline, Piece, Text } from './markup.ts';

/** The readable text of a message without its marks, with the tokens of mentions. */
export function removeMarks(content: readonly (Block | Inline)[]): string {
  return toTypedText(listPieces(content));
}

/** The text of the pieces, with the tokens of mentions. */
export function toTypedText(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (piece.kind === 'text' ? piece.text : toMentionToken(piece.memberId)))
    .join('');
}

const blockKinds: ReadonlySet<(Block | Inline)['kind']> = new Set([
  'paragraph',
  'heading',
  'quote',
  'spoilerBlock',
  'list',
  'codeBlock',
  'formulaBlock',
  'table',
]);

/** The pieces of the readable text, with their places in the message. */
export function listPieces(content: readonly (Block | Inline)[]): Piece[] {
  return content.flatMap((part, n) => {
    const pieces = toPieces(part);
    return n > 0 && blockKinds.has(part.kind) ? [createInsertedText('\n'), ...pieces] : pieces;
  });
}

function toPieces(part: Block | Inline): Piece[] {
  switch (part.kind) {
    case 'text':
    case 'mention':
      return [part];
    case 'paragraph':
    case 'heading':
    case 'strong':
    case 'emphasis':
    case 'strike':
      return listPieces(part.content);
    case 'link': {
      const pieces = listPieces(part.content);
      return part.target === null ? pieces : [...pieces, createInsertedText(` (${part.target})`)];
    }
    case 'code':
    case 'codeBlock':
      return toCodePieces(part.code);
    case 'formula':
    case 'formulaBlock':
      return [part.isPlain ? part.formula : { ...part.formula, typedFormula: part.typedSource }];
    case 'quote':
      return listPieces(part.blocks);
    case 'spoiler':
    case 'spoilerBlock':
      return [createInsertedText(`[${getText('common.spoiler')}]`)];
    case 'list':
      return joinPieces(
        part.items.map(({ mark, blocks }) => [
          ...(part.isOrdered ? [mark, createInsertedText(' ')] : [createInsertedText('• ')]),
          ...listPieces(blocks),
        ]),
        '\n',
      );
    case 'table':
      return joinPieces(
        part.rows.map((row) => joinPieces(row.map(listPieces), ' ')),
        '\n',
      );
  }
}

/** The parser leaves code as it is, so the mentions in code are found here. */
function toCodePieces(code: Text): Piece[] {
  if (!code.text.includes('<@')) return [{ ...code, isCode: true }];
  return splitMentions(code.text).map((part) =>
    'text' in part
      ? { ...createInsertedText(part.text), isCode: true }
      : { kind: 'mention', ...part },
  );
}

function joinPieces(parts: readonly Piece[][], separator: string): Piece[] {
  return parts.flatMap((pieces, n) =>
    n === 0 ? pieces : [createInsertedText(separator), ...pieces],
  );
}

function createInsertedText(text: string): Text {
  return { kind: 'text', text, from: null };
}
