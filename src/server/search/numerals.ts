// Treats 'Calculus III' and 'Calculus 3' as the same name.
const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];

/** Converts 1 to 10 between Roman and Arabic numerals. */
export function otherNumeral(word: string): string | null {
  const value = roman.indexOf(word) + 1;
  if (value > 0) return String(value);
  return /^\d+$/.test(word) ? (roman[Number(word) - 1] ?? null) : null;
}
