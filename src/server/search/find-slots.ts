// Finds the classes that contain all words of a query and scores them in one pass over the postings.
import { fieldOf, positionOf } from './class-words.ts';
import type { CourseCodes } from './course-codes.ts';
import {
  nameStartBonus,
  codeScore,
  connects,
  follows,
  typoCost,
  wholeName,
  scoresOf,
} from './ranking.ts';
import { candidatesFor, type Candidate, type QueryWord } from './query-words.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface FoundSlots {
  /** A view of a reused buffer: the next query overwrites it. */
  slots: Int32Array;
  /** For each query word, the indexed words that match it with a typo. */
  near: ReadonlyMap<QueryWord, ReadonlySet<string>>;
}

export interface SlotFinder {
  find(words: readonly QueryWord[], fieldMask: number): FoundSlots;
  /** The score of each slot that the last query found. */
  readonly worths: Int32Array;
}

interface Parts {
  vocabulary: Vocabulary;
  codes: CourseCodes;
  lengthOfName(slot: number): number;
  /** The number of slots. */
  size(): number;
}

const maxAssumedTypos = 2;
/** The first two searched fields are names. */
const isNameField = (field: number) => field < 2;
const nothing: FoundSlots = { slots: new Int32Array(), near: new Map() };

export function createSlotFinder({ vocabulary, codes, lengthOfName, size }: Parts): SlotFinder {
  // These buffers have one element per class and are reused, so a query allocates nothing per class.
  let total = new Int32Array();
  let wholeNameWords = new Uint8Array();
  let lastPlace = new Int32Array();
  /** The best match of the current word: */
  let best = new Int32Array();
  let bestPlace = new Int32Array();
  let bestIsNameWord = new Uint8Array();
  /** The last pass that matched each slot. Pass numbers are never reused. */
  let touchedBy = new Float64Array();
  let lastPass = 0;
  /** The slots that the last pass matched. */
  let touched = new Int32Array();

  function reserve(): void {
    if (total.length >= size()) return;
    const length = size() + 1024;
    total = new Int32Array(length);
    wholeNameWords = new Uint8Array(length);
    lastPlace = new Int32Array(length);
    best = new Int32Array(length);
    bestPlace = new Int32Array(length);
    bestIsNameWord = new Uint8Array(length);
    touchedBy = new Float64Array(length);
    touched = new Int32Array(length);
  }

  /**
   * Matches one query word against the slots that the previous pass matched.
   *
   * @param gap the distance in words from the previous required query word
   */
  function look(
    candidates: readonly Candidate[],
    fieldMask: number,
    before: number,
    gap: number,
  ): Int32Array {
    const me = ++lastPass;
    const continues = before > 0;
    const step = gap << 3;
    let count = 0;
    for (const { entry, whole, typos } of candidates) {
      const { postings } = entry;
      const worths = scoresOf(whole);
      const cost = typos * typoCost;
      for (let at = 0; at < postings.length; at += 2) {
        const slot = postings[at] as number;
        const place = postings[at + 1] as number;
        const field = fieldOf(place);
        if (((fieldMask >> field) & 1) === 0) continue;
        const last = touchedBy[slot] as number;
        if (continues && last !== me && last !== before) continue;
        let value = (worths[field] as number) - cost;
        if (positionOf(place) === 0 && isNameField(field)) value += nameStartBonus;
        if (continues && place - (lastPlace[slot] as number) === step) value += follows;
        if (last !== me) {
          touchedBy[slot] = me;
          touched[count++] = slot;
        } else if (value <= (best[slot] as number)) continue;
        best[slot] = value;
        bestPlace[slot] = place;
        bestIsNameWord[slot] = whole && isNameField(field) ? 1 : 0;
      }
    }
    for (let at = 0; at < count; at++) {
      const slot = touched[at] as number;
      const value = best[slot] as number;
      const names = bestIsNameWord[slot] as number;
      total[slot] = continues ? (total[slot] as number) + value : value;
      wholeNameWords[slot] = continues ? (wholeNameWords[slot] as number) + names : names;
      lastPlace[slot] = bestPlace[slot] as number;
    }
    return touched.subarray(0, count);
  }

  /** @param typos the typos to assume in words that also have exact matches */
  function lookForAll(
    words: readonly QueryWord[],
    fieldMask: number,
    typos: number,
  ): FoundSlots & { hopeless: boolean } {
    const near = new Map<QueryWord, ReadonlySet<string>>();
    let before = 0;
    let position = 0;
    let { slots } = nothing;
    for (const word of words.filter((one) => one.required)) {
      const candidates = candidatesFor(word, vocabulary, typos);
      if (candidates.length === 0) return { ...nothing, hopeless: true };
      const mistyped = candidates.filter((one) => one.typos > 0);
      near.set(word, new Set(mistyped.map(({ entry }) => entry.word)));
      slots = look(candidates, fieldMask, before, word.position - position);
      if (slots.length === 0) return { ...nothing, hopeless: false };
      before = lastPass;
      ({ position } = word);
    }
    return { slots, near, hopeless: false };
  }

  function addForConnecting(words: readonly QueryWord[], fieldMask: number): void {
    for (const { text } of words.filter((word) => !word.required)) {
      const postings = vocabulary.exactly(text)?.postings ?? [];
      for (let at = 0; at < postings.length; at += 2) {
        const slot = postings[at] as number;
        const field = fieldOf(postings[at + 1] as number);
        if (touchedBy[slot] !== lastPass || ((fieldMask >> field) & 1) === 0) continue;
        total[slot] = (total[slot] as number) + connects;
        if (isNameField(field)) wholeNameWords[slot] = (wholeNameWords[slot] as number) + 1;
      }
    }
  }

  function addForWholeNames(slots: Int32Array, length: number): void {
    for (const slot of slots) {
      if (wholeNameWords[slot] !== length || lengthOfName(slot) !== length) continue;
      total[slot] = (total[slot] as number) + wholeName;
    }
  }

  function addForCodes(words: readonly QueryWord[]): void {
    const worths = new Map<number, number>();
    const texts = words.map(({ text }) => text).filter((text) => !/^sec(tion)?$/.test(text));
    codes.eachMatch(texts, (slot, match) => {
      if (touchedBy[slot] !== lastPass) return;
      worths.set(slot, Math.max(worths.get(slot) ?? 0, codeScore[match]));
    });
    for (const [slot, worth] of worths) total[slot] = (total[slot] as number) + worth;
  }

  function find(words: readonly QueryWord[], fieldMask: number): FoundSlots {
    const last = words.at(-1);
    const found = findWith(words, fieldMask);
    if (found.slots.length > 0 || !last?.connecting || !last.required) return found;
    // The last word is not the prefix of a longer word, so it becomes optional.
    return findWith([...words.slice(0, -1), { ...last, required: false }], fieldMask);
  }

  function findWith(words: readonly QueryWord[], fieldMask: number): FoundSlots {
    reserve();
    for (let typos = 0; typos <= maxAssumedTypos; typos++) {
      const { slots, near, hopeless } = lookForAll(words, fieldMask, typos);
      if (hopeless) return nothing;
      if (slots.length === 0) continue;
      addForConnecting(words, fieldMask);
      addForWholeNames(slots, words.length);
      addForCodes(words);
      return { slots, near };
    }
    return nothing;
  }

  return {
    find,
    get worths() {
      return total;
    },
  };
}
