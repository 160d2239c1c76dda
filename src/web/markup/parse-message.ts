import { parseMarkup } from './parse-markup.ts';
import { piecesIn } from './plain-text.ts';

export function parseMessage(source: string) {
  const blocks = parseMarkup(source);
  return { blocks, pieces: piecesIn(blocks) };
}
