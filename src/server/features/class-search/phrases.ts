// Finds the classes that have the words of a phrase next to each other in one field.
import type { Class } from '#contract/entities.ts';
import { fieldOf, searchedFields } from './class-terms.ts';
import type { DocTest } from './compile-filter.ts';
import type { TermDictionary } from './term-dictionary.ts';
import { otherNumeral, termsOf } from '#server/base/tokenizer.ts';

interface Parts {
  dictionary: Pick<TermDictionary, 'get'>;
  classAt(doc: number): Class | null;
  /** Greater than every document number. */
  docLimit(): number;
}

/** Compiles a phrase to a test of one document. Only the fields of the mask count. */
export function compilePhrase(
  { dictionary, classAt, docLimit }: Parts,
  phrase: readonly string[],
  fieldMask: number,
): DocTest {
  const [first = '', ...others] = phrase;
  const fields = fieldsWith(first);
  for (const term of others) {
    const next = fieldsWith(term);
    for (let doc = 0; doc < fields.length; doc++) {
      fields[doc] = (fields[doc] as number) & (next[doc] as number);
    }
  }

  /** For each document, a bit for each field that has the term. */
  function fieldsWith(term: string): Uint8Array {
    const found = new Uint8Array(docLimit());
    const postings = dictionary.get(term)?.postings ?? [];
    for (let at = 0; at < postings.length; at += 2) {
      const doc = postings[at] as number;
      const bit = 1 << fieldOf(postings[at + 1] as number);
      found[doc] = (found[doc] as number) | (bit & fieldMask);
    }
    return found;
  }

  if (others.length === 0) return (doc) => fields[doc] !== 0;
  return (doc) => {
    const mask = fields[doc] as number;
    const one = mask === 0 ? null : classAt(doc);
    if (!one) return false;
    return searchedFields.some((name, field) => {
      if (((mask >> field) & 1) === 0) return false;
      const value = one[name];
      const text = Array.isArray(value) ? value.join(' ') : (value ?? '');
      return hasPhrase(termsOf(text), phrase);
    });
  };
}

function hasPhrase(terms: readonly string[], phrase: readonly string[]): boolean {
  return terms.some((_, from) =>
    phrase.every((wanted, i) => {
      const term = terms[from + i];
      return term !== undefined && (term === wanted || otherNumeral(term) === wanted);
    }),
  );
}
