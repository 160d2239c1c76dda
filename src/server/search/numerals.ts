// 'Calculus III' and 'Calculus 3' are one name.
const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x'];

/** The same number in the other writing, for 1 to 10. */
export function otherNumeral(word: string): string | null {
  const value = roman.indexOf(word) + 1;
  if (value > 0) return String(value);
  return /^\d+$/.test(word) ? (roman[Number(word) - 1] ?? null) : null;
}
