// All indexed words in sorted order with their postings.
import { nearEntries, type NearEntry } from './near-words.ts';

export interface Entry {
  readonly word: string;
  /** Alternating slot and place. */
  readonly postings: number[];
}

export interface Vocabulary {
  add(word: string, slot: number, place: number): void;
  /** Removes all postings of the slot. */
  remove(word: string, slot: number): void;
  exactly(word: string): Entry | null;
  /** Longer words with this prefix. */
  startingWith(word: string): readonly Entry[];
  /** Words with 1 to `typos` typos. With `prefix`, also words that begin with such a match. */
  near(word: string, typos: number, prefix: boolean): readonly NearEntry<Entry>[];
}

export function createVocabulary(): Vocabulary {
  const entries = new Map<string, Entry>();
  let sorted: Entry[] = [];
  /** New words that are not in `sorted` yet. Sorting waits until the next query. */
  let fresh: Entry[] = [];

  function settle(): readonly Entry[] {
    if (fresh.length === 0) return sorted;
    fresh.sort((a, b) => (a.word < b.word ? -1 : 1));
    const merged: Entry[] = [];
    let at = 0;
    for (const entry of sorted) {
      for (; at < fresh.length; at++) {
        const next = fresh[at];
        if (!next || next.word > entry.word) break;
        merged.push(next);
      }
      merged.push(entry);
    }
    sorted = [...merged, ...fresh.slice(at)];
    fresh = [];
    return sorted;
  }

  return {
    add(word, slot, place) {
      let entry = entries.get(word);
      if (!entry) {
        entry = { word, postings: [] };
        entries.set(word, entry);
        fresh.push(entry);
      }
      entry.postings.push(slot, place);
    },
    remove(word, slot) {
      const postings = entries.get(word)?.postings;
      if (!postings) return;
      for (let at = postings.length - 2; at >= 0; at -= 2) {
        if (postings[at] === slot) postings.splice(at, 2);
      }
      if (postings.length > 0) return;
      settle();
      sorted.splice(firstFrom(sorted, word), 1);
      entries.delete(word);
    },
    exactly: (word) => entries.get(word) ?? null,
    startingWith(word) {
      const all = settle();
      const from = firstFrom(all, word);
      const longer = all[from]?.word === word ? from + 1 : from;
      return all.slice(longer, firstFrom(all, `${word}\uffff`));
    },
    near: (word, typos, prefix) => nearEntries(settle(), word, typos, prefix),
  };
}

/** The index of the first entry that does not sort before the word. */
function firstFrom(sorted: readonly Entry[], word: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = sorted[middle];
    if (entry && entry.word < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
