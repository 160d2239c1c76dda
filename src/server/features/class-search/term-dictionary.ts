// The inverted index: all terms in sorted order, each with its postings list.
import { findFuzzyTerms, type FuzzyMatch } from '#server/base/fuzzy-terms.ts';

export interface Term {
  readonly text: string;
  /** Alternating document number and place, sorted by document number. */
  readonly postings: number[];
}

export interface TermDictionary {
  add(text: string, doc: number, place: number): void;
  /** Removes all postings of the document from the term. */
  remove(text: string, doc: number): void;
  get(text: string): Term | null;
  /** Terms from the first text up to the second one, which is excluded. */
  listBetween(from: string, to: string): readonly Term[];
  /** Terms with this prefix, also the term that equals it. */
  listByPrefix(prefix: string): readonly Term[];
  hasPrefix(prefix: string): boolean;
  /** Terms with 1 to `maxTypos` typos. With `prefix`, also terms that begin with such a match. */
  fuzzy(text: string, maxTypos: number, prefix: boolean): readonly FuzzyMatch<Term>[];
}

export function createTermDictionary(): TermDictionary {
  const terms = new Map<string, Term>();
  let sortedTerms: Term[] = [];
  /** New terms that are not in `sorted` yet. Sorting waits until the next query. */
  let unsorted: Term[] = [];

  function sortTerms(): readonly Term[] {
    if (unsorted.length === 0) return sortedTerms;
    unsorted.sort((a, b) => (a.text < b.text ? -1 : 1));
    const merged: Term[] = [];
    let index = 0;
    for (const term of sortedTerms) {
      for (; index < unsorted.length; index++) {
        const next = unsorted[index];
        if (!next || next.text > term.text) break;
        merged.push(next);
      }
      merged.push(term);
    }
    sortedTerms = [...merged, ...unsorted.slice(index)];
    unsorted = [];
    return sortedTerms;
  }

  function listBetween(from: string, to: string): readonly Term[] {
    const all = sortTerms();
    return all.slice(findFirstTerm(all, from), findFirstTerm(all, to));
  }

  return {
    add(text, doc, place) {
      let term = terms.get(text);
      if (!term) {
        term = { text, postings: [] };
        terms.set(text, term);
        unsorted.push(term);
      }
      const { postings } = term;
      const last = postings.at(-2);
      // Document numbers mostly grow, so this is the usual case.
      if (last === undefined || last <= doc) postings.push(doc, place);
      else postings.splice(findFirstPosting(postings, doc + 1), 0, doc, place);
    },
    remove(text, doc) {
      const postings = terms.get(text)?.postings;
      if (!postings) return;
      const from = findFirstPosting(postings, doc);
      let to = from;
      while (postings[to] === doc) to += 2;
      postings.splice(from, to - from);
      if (postings.length > 0) return;
      sortTerms();
      sortedTerms.splice(findFirstTerm(sortedTerms, text), 1);
      terms.delete(text);
    },
    get: (text) => terms.get(text) ?? null,
    listBetween,
    listByPrefix: (prefix) => listBetween(prefix, `${prefix}\uffff`),
    hasPrefix(prefix) {
      const all = sortTerms();
      return all[findFirstTerm(all, prefix)]?.text.startsWith(prefix) ?? false;
    },
    fuzzy: (text, maxTypos, prefix) => findFuzzyTerms(sortTerms(), text, maxTypos, prefix),
  };
}

/** The index of the first term that does not sort before the text. */
function findFirstTerm(sortedTerms: readonly Term[], text: string): number {
  let low = 0;
  let high = sortedTerms.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const term = sortedTerms[middle];
    if (term && term.text < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first posting of this document or a later one. */
function findFirstPosting(postings: readonly number[], doc: number): number {
  let low = 0;
  let high = postings.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((postings[2 * middle] as number) < doc) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
