import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { foldText } from '#contract/text-order.ts';

/**
 * The classes whose label or name fits the typed text, best first. Case, accents and spaces do not matter. The
 * characters of the query must appear in the class in this order, but not next to each other: `dstr` finds
 * 'Data Structures'.
 */
export function matchClasses<Item extends Class>(
  classes: readonly Item[],
  query: string,
): readonly Item[] {
  const wanted = compact(query);
  if (!wanted) return classes;
  return classes
    .map((of) => ({
      of,
      rank: Math.min(rank(toClassLabel(of), wanted), rank(of.courseName, wanted)),
    }))
    .filter((match) => match.rank < Infinity)
    .toSorted((one, other) => one.rank - other.rank)
    .map((match) => match.of);
}

/** 0: the text begins with the query. 1: a word does. 2: the text contains it. 3: scattered. */
function rank(text: string | null, wanted: string): number {
  const words = foldText(text ?? '').split(/[^\p{Letter}\p{Number}]+/u);
  const whole = words.join('');
  if (whole.startsWith(wanted)) return 0;
  if (words.some((_, i) => words.slice(i).join('').startsWith(wanted))) return 1;
  if (whole.includes(wanted)) return 2;
  return isScattered(whole, wanted) ? 3 : Infinity;
}

function isScattered(text: string, wanted: string): boolean {
  let from = 0;
  for (const character of wanted) {
    const at = text.indexOf(character, from);
    if (at < 0) return false;
    from = at + character.length;
  }
  return true;
}

const compact = (text: string) => foldText(text).replace(/[^\p{Letter}\p{Number}]+/gu, '');
