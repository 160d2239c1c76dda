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

function createText(kind: (typeof kinds)[number], one: Class, random: Random): string {
  const name = one.courseName ?? '';
  switch (kind) {
    case 'code':
      return `${one.subjectAbbreviation ?? ''}${random.pick(['', ' '])}${one.courseNumber ?? ''}`;
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
  const at = random.int(1, longest.length - 2);
  const before = longest.slice(0, at);
  const here = longest.slice(at, at + 2);
  const after = longest.slice(at + 2);
  const wrong = random.pick([
    `${before}${here[1] ?? ''}${here[0] ?? ''}${after}`,
    `${before}${here[1] ?? ''}${after}`,
    `${before}x${here}${after}`,
    `${before}x${here[1] ?? ''}${after}`,
  ]);
  return name.replace(longest, wrong);
}
