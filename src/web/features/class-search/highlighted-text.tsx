interface Props {
  text: string;
  /** The same text with highlight tags from the index. */
  taggedText: string | undefined;
  upperCase?: boolean;
}

/** Ignores highlights that do not belong to exactly this text. */
export function HighlightedText({ text, taggedText, upperCase = false }: Props) {
  const toShownText = (part: string) => (upperCase ? part.toUpperCase() : part);
  const parts = parseHighlights(taggedText ?? text);
  if (parts.map((part) => part.text).join('') !== text) return toShownText(text);
  return parts.map((part, i) =>
    part.isMatch ? <mark key={i}>{toShownText(part.text)}</mark> : toShownText(part.text),
  );
}

// Parses highlight tags into text parts. Values never become HTML.

export const highlightPreTag = '__ais-highlight__';
export const highlightPostTag = '__/ais-highlight__';

export interface Part {
  text: string;
  isMatch: boolean;
}

export function parseHighlights(taggedText: string): Part[] {
  return taggedText
    .split(highlightPreTag)
    .flatMap((piece, i) => {
      if (i === 0) return [{ text: piece, isMatch: false }];
      const [matchText = '', ...rest] = piece.split(highlightPostTag);
      return [
        { text: matchText, isMatch: true },
        { text: rest.join(''), isMatch: false },
      ];
    })
    .filter(({ text }) => text !== '');
}
