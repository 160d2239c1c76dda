// Where a word ends, for marks and addresses that touch other text.

/** Letters of languages that write no spaces between words, or attach endings to them, and their punctuation. */
const spaceless =
  String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}` +
  String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}`;

/** The source of a pattern for a letter or digit, without those of `spaceless` and without parts of emoji. */
export const wordPattern = String.raw`(?![${spaceless}\ufe0e\ufe0f\u20e3])[\p{L}\p{M}\p{N}]`;

const wordCharacter = new RegExp(wordPattern, 'u');
export const spacelessPattern = String.raw`[${spaceless}\u3001-\u303f\uff01-\uff65]`;
const spacelessCharacter = new RegExp(spacelessPattern, 'u');

export function isWordCharacter(character: string): boolean {
  return wordCharacter.test(character);
}

export function isSpacelessCharacter(character: string): boolean {
  return spacelessCharacter.test(character);
}
