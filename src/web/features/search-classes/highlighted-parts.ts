// What the index marks in a value as found, as pieces of text: nothing of it ever becomes markup.

export const markBegin = '__ais-highlight__';
export const markEnd = '__/ais-highlight__';

export interface Part {
  text: string;
  found: boolean;
}

export function highlightedParts(marked: string): Part[] {
  return marked
    .split(markBegin)
    .flatMap((piece, i) => {
      if (i === 0) return [{ text: piece, found: false }];
      const [found = '', ...rest] = piece.split(markEnd);
      return [
        { text: found, found: true },
        { text: rest.join(''), found: false },
      ];
    })
    .filter(({ text }) => text !== '');
}
