import styles from './class-hit.module.css';

interface Props {
  text: string;
  /** The same text with highlight tags from the index. */
  marked: string | undefined;
  upperCase?: boolean;
}

/** Ignores highlights that do not belong to exactly this text. */
export function Highlighted({ text, marked, upperCase = false }: Props) {
  const shown = (part: string) => (upperCase ? part.toUpperCase() : part);
  const parts = highlightedParts(marked ?? text);
  if (parts.map((part) => part.text).join('') !== text) return shown(text);
  return parts.map((part, i) =>
    part.found ? (
      <mark className={styles.found} key={i}>
        {shown(part.text)}
      </mark>
    ) : (
      shown(part.text)
    ),
  );
}

// Parses highlight tags into text parts. Values never become HTML.

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
