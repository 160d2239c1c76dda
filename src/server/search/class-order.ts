import type { Class } from '#contract/entities.ts';

const letters = ' abcdefghijklmnopqrstuvwxyz0123456789';

/** A sort key for course codes: up to four letters, the number and the section. */
export function orderOf({ subjectAbbreviation, courseNumber, sectionNumber }: Class): number {
  let order = 0;
  const subject = (subjectAbbreviation ?? '').toLowerCase().padEnd(4);
  for (const letter of subject.slice(0, 4)) {
    const place = letters.indexOf(letter);
    order = order * 40 + (place < 0 ? 39 : place);
  }
  order = order * 10_000 + leadingNumber(courseNumber, 9999);
  return order * 1000 + leadingNumber(sectionNumber, 999);
}

function leadingNumber(text: string | null, most: number): number {
  return Math.min(Number(/\d+/.exec(text ?? '')?.[0] ?? 0), most);
}
