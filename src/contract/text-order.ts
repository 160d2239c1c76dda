/**
 * Compares texts as people sort them: without case and accents, and digits as numbers. The collator is
 * shared, because `localeCompare` with options builds a new one for every comparison.
 */
export const compareText: (a: string, b: string) => number = new Intl.Collator('en', {
  numeric: true,
  sensitivity: 'base',
}).compare;

/** The text without case, accents and zero-width joiners, to find words in it. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{Mark}\u200c\u200d]/gu, '')
    .toLowerCase();
}
