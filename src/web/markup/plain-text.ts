import { mentionOf, splitMentions } from '#contract/mentions.ts';
import type { Block, Inline, Piece, Text } from './markup.ts';

/** The readable text of a message without its marks, with the tokens of mentions. */
export function plainTextOf(content: readonly (Block | Inline)[]): string {
  return piecesIn(content)
    .map((piece) => (piece.kind === 'text' ? piece.text : mentionOf(piece.memberId)))
    .join('');
}

const blockKinds: ReadonlySet<(Block | Inline)['kind']> = new Set([
  'paragraph',
  'heading',
  'quote',
  'list',
  'codeBlock',
  'formulaBlock',
  'table',
]);

/** The pieces of the readable text, with their places in the message. */
export function piecesIn(content: readonly (Block | Inline)[]): Piece[] {
  return content.flatMap((part, n) => {
    const pieces = piecesOf(part);
    return n > 0 && blockKinds.has(part.kind) ? [inserted('\n'), ...pieces] : pieces;
  });
}

function piecesOf(part: Block | Inline): Piece[] {
  switch (part.kind) {
    case 'text':
    case 'mention':
      return [part];
    case 'paragraph':
    case 'heading':
    case 'strong':
    case 'emphasis':
    case 'strike':
      return piecesIn(part.content);
    case 'link': {
      const pieces = piecesIn(part.content);
      return part.target === null ? pieces : [...pieces, inserted(` (${part.target})`)];
    }
    case 'code':
    case 'codeBlock':
      return codePieces(part.code);
    case 'formula':
    case 'formulaBlock':
      return [part.formula];
    case 'quote':
      return piecesIn(part.blocks);
    case 'list':
      return part.items.flatMap((blocks, n) => {
        const number = part.start === null ? '' : `${part.start + n}${part.delimiter} `;
        return [inserted(`${n > 0 ? '\n' : ''}${number}`), ...piecesIn(blocks)];
      });
    case 'table':
      return joined(
        part.rows.map((row) => joined(row.map(piecesIn), ' ')),
        '\n',
      );
  }
}

/** Markdown does not read code, but its mentions have names too. */
function codePieces(code: Text): Piece[] {
  if (!code.text.includes('<@')) return [code];
  return splitMentions(code.text).map((part) =>
    'text' in part ? inserted(part.text) : { kind: 'mention', ...part },
  );
}

function joined(parts: readonly Piece[][], by: string): Piece[] {
  return parts.flatMap((pieces, n) => (n === 0 ? pieces : [inserted(by), ...pieces]));
}

function inserted(text: string): Text {
  return { kind: 'text', text, from: null };
}
