// Decides which messages match a search (on the server), and what of them is marked (in the browser).
import { foldCharacter, foldLetters } from './fold-character.ts';
import { replaceMentionsWithSpaces } from './mentions.ts';

/** The offsets of a matched part of the text. The end is exclusive. */
export type Mark = [start: number, end: number];

/** What separates two characters: nothing, a sign inside a word or number, a sign inside numbers, spaces, or more. */
type Gap = 'none' | 'joint' | 'sign' | 'space' | 'other';

type Kind = 'letter' | 'digit' | 'sign' | 'anywhere';

/** One character of a folded text: a letter or digit, or a sign that belongs to its word as in `C++`. */
interface Unit {
  character: string;
  kind: Kind;
  gap: Gap;
  /** Whether it begins a character of the original text: 'ß' has two units. */
  isFirst: boolean;
  /** The offsets in the original text. */
  start: number;
  end: number;
}

/** A word of the query, with everything that touches it. */
interface Term {
  units: readonly Unit[];
  text: string;
  /** Parts of every text that matches, for the quick check. */
  core: string;
  signs: readonly string[];
}

/** Scripts without spaces, and those that write particles together with the word: a word is found inside others. */
const scriptsWithJoinedWords =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}\p{scx=Arab}\p{scx=Hebr}]/u;
const digit = /^\p{N}/u;
/** Signs that are part of the word before them: `C++`, `C#`. */
const wordSigns: Readonly<Record<string, string>> = {
  '+': '+',
  '＋': '+',
  '#': '#',
  '＃': '#',
  '♯': '#',
};

const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}ـ]/gu;
const hyphenOrApostrophe = /^[\p{Pd}'’ʼ‘`״׳]$/u;
const hyphenAtLineEnd = /^[\p{Pd}\u00ad][^\S\n]*\n[\s>]*$/u;
const thousandsSeparator = /^[.,'’ʼ٬\u00a0\u2009\u202f]$/u;
const threeDigits = /^\p{Nd}{3}(?!\p{Nd})/u;
const numberSign = /^[.,:/'’\p{Pd}]$/u;

/** @returns the terms of a query, which a message must all contain; empty if the query has no letter or digit */
export function parseQuery(query: string): Term[] {
  const words: Unit[][] = [];
  for (const unit of listUnits(query)) {
    const isApart = unit.gap === 'space' || unit.gap === 'other';
    if (isApart) words.push([unit]);
    else words.at(-1)?.push(unit);
  }
  const terms = words.map((units) => {
    const text = units.map(({ character }) => character).join('');
    const signs = units.filter(({ kind }) => kind === 'sign').map(({ character }) => character);
    return { units, text, core: toCore(text), signs };
  });
  // A repeated word would cost time and change nothing.
  return [...new Map(terms.map((term) => [toKey(term), term])).values()];
}

const toKey = ({ units }: Term) =>
  units.map(({ character, gap }) => `${gap} ${character}`).join('\n');

/** What a search has done so far. One unit is the time to fold a character. */
export interface Work {
  cost: number;
}

/** How many characters are folded together in the time of one, and how many pairs of neighbors are compared. */
const foldedTogether = 5;
const comparedTogether = 32;

/**
 * @param work grows by what the text costs: a character can be many letters, and a phrase can begin at each of them
 * @returns the matched parts in order, without overlaps or mentions; null if the text lacks a term
 */
export function findMarks(text: string, terms: readonly Term[], work?: Work): Mark[] | null {
  const units = listUnits(replaceMentionsWithSpaces(text));
  const letters = units.map(({ character }) => character).join('');
  const found = terms.map((term) => findTerm(units, letters, term));
  const comparisons = found.reduce((sum, term) => sum + term.comparisons, 0);
  if (work) work.cost += Math.max(text.length, units.length) + comparisons / comparedTogether;
  const marksOfTerms = found.map(({ marks }) => marks);
  return marksOfTerms.every((marks) => marks.length > 0) ? mergeMarks(marksOfTerms.flat()) : null;
}

/** @returns the matched parts of each term that the text has, for a text that is a part of a message */
export function findPartialMarks(text: string, terms: readonly Term[]): Mark[] {
  return mergeMarks(terms.flatMap((term) => findMarks(text, [term]) ?? []));
}

/** Checks quickly, before a text is folded character by character. If the result is false, it may still lack a term. */
export function hasMissingTerm(text: string, terms: readonly Term[], work?: Work): boolean {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const folded = isAscii ? text.toLowerCase() : foldLetters(text).replaceAll('♯', '#');
  if (work) work.cost += Math.max(text.length, folded.length) / foldedTogether;
  const core = isAscii ? folded.replace(/[^a-z1-9]+/g, '') : toCore(folded);
  return terms.some(
    (term) => !core.includes(term.core) || term.signs.some((sign) => !folded.includes(sign)),
  );
}

/** The letters and digits of a folded text without zeros, which can be leading ones. */
function toCore(folded: string): string {
  return folded.replace(/[^\p{L}\p{M}\p{N}]+|0+/gu, '');
}

function findTerm(
  units: readonly Unit[],
  letters: string,
  { units: termUnits, text }: Term,
): { marks: Mark[]; comparisons: number } {
  const marks: Mark[] = [];
  let comparisons = 0;
  for (let index = letters.indexOf(text); index >= 0; index = letters.indexOf(text, index + 1)) {
    const first = units[index];
    const last = units[index + text.length - 1];
    if (!first || !last || !canBegin(first, units[index - 1])) continue;
    const gapIndex = termUnits.findIndex(
      (unit, n) => n > 0 && !canFollow(unit.gap, units[index + n], units[index + n - 1]),
    );
    comparisons += gapIndex < 0 ? termUnits.length : gapIndex;
    if (gapIndex < 0) marks.push([first.start, last.end]);
  }
  return { marks, comparisons };
}

/** Tells whether a word begins here: 'tree' is not in 'street', but in 'Christmas-tree'. */
function canBegin(unit: Unit, previous: Unit | undefined): boolean {
  if (unit.gap !== 'none' || unit.kind !== previous?.kind) return true;
  return unit.kind === 'anywhere' && unit.isFirst;
}

/** @param gap what the query has before the character */
function canFollow(gap: Gap, unit: Unit | undefined, previous: Unit | undefined): boolean {
  if (!unit || !previous) return false;
  // 'cs146' finds 'CS 146'.
  if (unit.kind === 'digit' && previous.kind === 'letter') return true;
  if (unit.kind === 'letter' && previous.kind === 'digit') return true;
  switch (unit.gap) {
    case 'none':
      return gap !== 'sign';
    case 'joint':
      return true;
    case 'sign':
      return gap === 'sign' || gap === 'joint';
    case 'space':
      return gap === 'joint' && unit.kind !== 'digit';
    case 'other':
      return false;
  }
}

/** The letters, digits and signs of words of a text. What is between them is only a gap. */
function listUnits(text: string): Unit[] {
  const units: Unit[] = [];
  let end = 0;
  /** Whether the number so far has only a zero, which is left out before other digits. */
  let isLeadingZero = false;
  for (const { 0: cluster, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const previous = units.at(-1);
    const letters = foldCharacter(cluster);
    const sign = previous && end === index ? wordSigns[cluster] : undefined;
    const folded = letters || sign;
    if (!folded) continue;
    const kind = letters ? toKind(letters) : 'sign';
    const gap = previous ? toGap(text, end, index, previous.kind, kind) : 'other';
    const isSameNumber =
      kind === 'digit' && previous?.kind === 'digit' && (gap === 'none' || gap === 'joint');
    const zero: Unit | undefined = isSameNumber && isLeadingZero ? units.pop() : undefined;
    isLeadingZero = folded === '0' && (!isSameNumber || zero !== undefined);
    end = index + cluster.length;
    const begin = { gap: zero?.gap ?? gap, start: zero?.start ?? index };
    for (let n = 0; n < folded.length; n++) {
      const isFirst = n === 0;
      const place = isFirst ? begin : { gap: 'none' as const, start: index };
      units.push({ character: folded[n] ?? '', kind, ...place, isFirst, end });
    }
  }
  return units;
}

function toKind(letters: string): Kind {
  if (digit.test(letters)) return 'digit';
  return scriptsWithJoinedWords.test(letters) ? 'anywhere' : 'letter';
}

function toGap(text: string, start: number, end: number, previousKind: Kind, kind: Kind): Gap {
  if (start === end) return 'none';
  const rawSeparator = text.slice(start, end);
  if (hyphenAtLineEnd.test(rawSeparator)) return 'joint';
  const separator = rawSeparator.replace(invisible, '');
  if (separator === '') return 'none';
  if (previousKind === 'digit' && kind === 'digit') {
    if (thousandsSeparator.test(separator) && threeDigits.test(text.slice(end, end + 8))) {
      return 'joint';
    }
    if (numberSign.test(separator)) return 'sign';
  } else if (hyphenOrApostrophe.test(separator)) {
    return 'joint';
  }
  return /^\s+$/.test(separator) ? 'space' : 'other';
}

function mergeMarks(marks: Mark[]): Mark[] {
  const mergedMarks: Mark[] = [];
  for (const [start, end] of marks.toSorted((first, second) => first[0] - second[0])) {
    const last = mergedMarks.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else mergedMarks.push([start, end]);
  }
  return mergedMarks;
}
