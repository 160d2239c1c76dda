// The built-in search index: holds every class in memory and finds it by word, course code and facet.
import type { Class } from '#contract/entities.ts';
import { searchFacets, type SearchFacet } from '#contract/search-index.ts';
import { createTopResults } from './top-results.ts';
import { eachWordOf, lengthOfName, maskOf } from './class-words.ts';
import { orderOf } from './class-order.ts';
import { createCourseCodes } from './course-codes.ts';
import { createFacet } from './facet.ts';
import type { Filter } from './filter.ts';
import { testOf, type Facets } from './filter-slots.ts';
import { createSlotFinder } from './find-slots.ts';
import type { SoughtWord } from './highlight.ts';
import { queryWordsOf } from './query-words.ts';
import { createSharedValues } from './shared-values.ts';
import type { SearchedField } from './searched-fields.ts';
import { createVocabulary } from './vocabulary.ts';

export interface Question {
  text: string;
  /** The fields to search. */
  fields: readonly SearchedField[];
  filter: Filter;
  /** The page: how many matches to skip, and how many to return. */
  from: number;
  count: number;
  /** The facets to count over all matches. */
  facets: readonly SearchFacet[];
}

export interface Finding {
  /** The number of matches on all pages together. */
  total: number;
  classes: readonly Class[];
  /** For each facet, its values with their counts, most frequent first. */
  facets: ReadonlyMap<SearchFacet, [value: string, count: number][]>;
  /** The query words with the words they matched. */
  sought: readonly SoughtWord[];
}

export interface ClassIndex {
  /** Adds or replaces the class. */
  put(one: Class): void;
  remove(classId: string): void;
  find(question: Question): Finding;
  /** The ids of all indexed classes. */
  ids(): Iterable<string>;
}

export function createClassIndex(): ClassIndex {
  const slots = new Map<string, number>();
  const classes: (Class | null)[] = [];
  const free: number[] = [];
  /** Cached list of the slots that hold a class. Null after a change. */
  let inUse: Int32Array | null = null;
  const memberCounts: number[] = [];
  const orders: number[] = [];
  const nameLengths: number[] = [];
  const vocabulary = createVocabulary();
  const codes = createCourseCodes();
  const facets: Facets = {
    subjectAbbreviation: createFacet(),
    semesterSeason: createFacet(),
    classSchedule: createFacet(),
  };
  const share = createSharedValues();
  const finder = createSlotFinder({
    vocabulary,
    codes,
    lengthOfName: (slot) => nameLengths[slot] ?? 0,
    size: () => classes.length,
  });

  function enter(one: Class): void {
    const slot = free.pop() ?? classes.length;
    slots.set(one.classId, slot);
    inUse = null;
    classes[slot] = one;
    memberCounts[slot] = one.memberCount;
    orders[slot] = orderOf(one);
    nameLengths[slot] = lengthOfName(one);
    eachWordOf(one, (word, place) => vocabulary.add(word, slot, place));
    codes.add(slot, one);
    for (const name of searchFacets) facets[name].set(slot, facetValuesOf(one, name));
  }

  function remove(classId: string): void {
    const slot = slots.get(classId);
    const one = slot === undefined ? null : classes[slot];
    if (slot === undefined || !one) return;
    eachWordOf(one, (word) => vocabulary.remove(word, slot));
    codes.remove(slot, one);
    slots.delete(classId);
    inUse = null;
    classes[slot] = null;
    free.push(slot);
  }

  function allSlots(): Int32Array {
    inUse ??= Int32Array.from(slots.values());
    return inUse;
  }

  /** Orders by member count, largest first, then by course code. */
  function isBigger(a: number, b: number): boolean {
    const more = (memberCounts[a] as number) - (memberCounts[b] as number);
    if (more !== 0) return more > 0;
    const later = (orders[a] as number) - (orders[b] as number);
    if (later !== 0) return later < 0;
    return (classes[a]?.classId ?? '') < (classes[b]?.classId ?? '');
  }

  return {
    put(given) {
      const one = share(given);
      const slot = slots.get(one.classId);
      const known = slot === undefined ? null : classes[slot];
      if (slot !== undefined && known && sameButForCount(known, one)) {
        classes[slot] = one;
        memberCounts[slot] = one.memberCount;
        return;
      }
      remove(one.classId);
      enter(one);
    },
    remove,
    ids: () => slots.keys(),
    find({ text, fields, filter, from, count, facets: counted }) {
      const words = queryWordsOf(text);
      const found = words.length > 0 ? finder.find(words, maskOf(fields)) : null;
      const { worths } = finder;
      const isBetter = (a: number, b: number) => {
        const more = (worths[a] as number) - (worths[b] as number);
        return more === 0 ? isBigger(a, b) : more > 0;
      };
      const test = testOf(filter, facets);
      const best = createTopResults(from + count, found ? isBetter : isBigger);
      const counts = counted.map((name) => {
        const facet = facets[name];
        const { groupOf, groupCount } = facet;
        return { name, facet, groupOf, perGroup: new Uint32Array(groupCount) };
      });
      let total = 0;
      const candidates = found ? found.slots : allSlots();
      for (let at = 0; at < candidates.length; at++) {
        const slot = candidates[at] as number;
        if (test !== null && !test(slot)) continue;
        total += 1;
        best.offer(slot);
        for (const { groupOf, perGroup } of counts) {
          const group = groupOf[slot] as number;
          perGroup[group] = (perGroup[group] as number) + 1;
        }
      }
      return {
        total,
        classes: best
          .take()
          .slice(from)
          .map((slot) => classes[slot] ?? null)
          .filter((one) => one !== null),
        facets: new Map(
          counts.map(({ name, facet, perGroup }) => [name, facet.countValues(perGroup)]),
        ),
        sought: words.map((word) => ({
          text: word.text,
          prefix: word.prefix,
          near: found?.near.get(word) ?? new Set(),
        })),
      };
    },
  };
}

/** Subjects are stored as typed but counted in upper case, as the app shows them. */
function facetValuesOf(one: Class, name: SearchFacet): readonly string[] {
  const value = one[name];
  if (Array.isArray(value)) return value;
  const text = value?.trim() ?? '';
  if (text === '') return [];
  return [name === 'subjectAbbreviation' ? text.toUpperCase() : text];
}

function sameButForCount(a: Class, b: Class): boolean {
  return JSON.stringify({ ...a, memberCount: 0 }) === JSON.stringify({ ...b, memberCount: 0 });
}
