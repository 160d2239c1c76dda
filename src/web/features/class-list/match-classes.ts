import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { foldText } from '#contract/text-order.ts';

/**
 * The classes whose label or name fits the typed text, best first. Case, accents and spaces do not matter. The
 * characters of the query must appear in the text in this order, with any characters between them: `dstr` finds
 * 'Data Structures'.
 */
export function matchClasses<Item extends Class>(
  classes: readonly Item[],
  query: string,
): readonly Item[] {
  const compactQuery = compact(query);
  if (!compactQuery) return classes;
  return classes
    .map((listedClass) => ({
      listedClass,
      rank: Math.min(
        rank(toClassLabel(listedClass), compactQuery),
        rank(listedClass.courseName, compactQuery),
      ),
    }))
    .filter((match) => match.rank < Infinity)
    .toSorted((match, other) => match.rank - other.rank)
    .map((match) => match.listedClass);
}

/** 0: the text begins with the query. 1: a word does. 2: the text contains it. 3: scattered. */
function rank(text: string | null, query: string): number {
  const words = foldText(text ?? '').split(/[^\p{Letter}\p{Number}]+/u);
  const wholeText = words.join('');
  if (wholeText.startsWith(query)) return 0;
  if (words.some((_, i) => words.slice(i).join('').startsWith(query))) return 1;
  if (wholeText.includes(query)) return 2;
  return isScattered(wholeText, query) ? 3 : Infinity;
}

function isScattered(text: string, query: string): boolean {
  let from = 0;
  for (const character of query) {
    const index = text.indexOf(character, from);
    if (index < 0) return false;
    from = index + character.length;
  }
  return true;
}

const compact = (text: string) => foldText(text).replace(/[^\p{Letter}\p{Number}]+/gu, '');
