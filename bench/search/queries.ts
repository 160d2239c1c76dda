// The benchmark queries. For randomly chosen classes: the code, the name, the beginning of the name, and the
// name with a typing error.
import type { Class } from '../../src/contract/entities.ts';
import { createRandom, type Random } from '#tests/support/random.ts';

export const queryKinds = ['code', 'name', 'beginning', 'mistyped'] as const;
export type QueryKind = (typeof queryKinds)[number];

export interface AskedQuery {
  kind: QueryKind;
  text: string;
  /** Whether this class is a correct first hit. */
  isRight(one: Class): boolean;
}

export function drawQueries(classes: readonly Class[], count: number): AskedQuery[] {
  const random = createRandom('search queries');
  return Array.from({ length: count }, (_, n) => {
    const one = random.pick(classes);
    const kind = queryKinds[n % queryKinds.length] ?? 'code';
    const text = textOf(kind, one, random);
    return { kind, text, isRight: (hit) => isMeant(kind, text, one, hit) };
  });
}

function textOf(kind: QueryKind, one: Class, random: Random): string {
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

function isMeant(kind: QueryKind, text: string, meant: Class, hit: Class): boolean {
  // Other names can begin with the same text.
  if (kind === 'beginning') return hit.courseName?.startsWith(text) ?? false;
  if (kind !== 'code') return hit.courseName === meant.courseName;
  const codeOf = (one: Class) => `${one.subjectAbbreviation ?? ''} ${one.courseNumber ?? ''}`;
  return codeOf(hit).toUpperCase() === codeOf(meant).toUpperCase();
}
