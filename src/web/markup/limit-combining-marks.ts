/** No language needs as many on one letter. Browsers need long for more, and draw them over other messages. */
const tooMany = /(\p{Mark}{10})\p{Mark}+/gu;

/** The text with at most ten combining marks in a row. */
export function limitCombiningMarks(text: string): string {
  return text.replace(tooMany, '$1');
}
