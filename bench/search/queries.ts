// The benchmark queries. For randomly chosen classes: the code, the name, the beginning of the name, and the
// name with a typing error.
import type { Class } from '../../src/contract/entities.ts';
import { createRandom, type Random } from '#tests/support/random.ts';

const kinds = ['code', 'name', 'beginning', 'mistyped'] as const;

export function drawQueries(classes: readonly Class[], count: number): string[] {
  const random = createRandom('search queries');
  return Array.from({ length: count }, (_, n) =>
    createText(kinds[n % kinds.length] ?? 'code', random.pick(classes), random),
  );
}

function createText(kind: (typeof kinds)[number], searchedClass: Class, random: Random): string {
  const name = searchedClass.courseName ?? '';
  switch (kind) {
    case 'code':
      return `${searchedClass.subjectAbbreviation ?? ''}${random.pick(['', ' '])}${searchedClass.courseNumber ?? ''}`;
    case 'name':
      return name;
    case 'beginning':
      return name.slice(0, Math.max(3, Math.ceil(name.length * 0.6))).trim();
    case 'mistyped':
      return mistype(name, random);
  }
}

/** Adds one typing error to the longest word. */
function mistype(name: string, random: Random): string {
  const longest = name.split(/[^\p{L}]+/u).toSorted((a, b) => b.length - a.length)[0] ?? '';
  if (longest.length < 5) return name;
  const position = random.int(1, longest.length - 2);
  const start = longest.slice(0, position);
  const pair = longest.slice(position, position + 2);
  const end = longest.slice(position + 2);
  const misspelledWord = random.pick([
    `${start}${pair[1] ?? ''}${pair[0] ?? ''}${end}`,
    `${start}${pair[1] ?? ''}${end}`,
    `${start}x${pair}${end}`,
    `${start}x${pair[1] ?? ''}${end}`,
  ]);
  return name.replace(longest, misspelledWord);
}
