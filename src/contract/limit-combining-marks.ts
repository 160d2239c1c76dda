/** No language needs more marks on one letter. Browsers draw them slowly, and over other messages. */
const tooMany = /(\p{Mark}{10})\p{Mark}+/gu;

/** The text with at most ten combining marks in a row. */
export function limitCombiningMarks(text: string): string {
  return text.replace(tooMany, '$1');
}
