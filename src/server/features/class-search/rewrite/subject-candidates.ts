// The subject codes that a name may stand for: 'biology' is BIOL, 'computer science' is CS.
import type { CourseCodes } from '#server/features/class-search/course-codes.ts';
import { isStopWord } from '#server/features/class-search/query-terms.ts';
import { toTerms } from '#server/base/tokenizer.ts';
import type { ShortForms } from './short-forms.ts';

export interface SubjectCandidate {
  /** The code without spaces, in lower case. */
  subject: string;
  /** The code only resembles the name. It is not in the list of subjects. */
  isGuess: boolean;
}

const maxCandidates = 6;
const maxPartLength = 4;
const minPrefix = 3;

/**
 * @param span the words of the name
 * @param withGuesses also looks for codes that only resemble the name
 * @returns codes that classes have, likeliest first
 */
export function listSubjectCandidates(
  span: readonly string[],
  withGuesses: boolean,
  codes: CourseCodes,
  shortForms: ShortForms,
): SubjectCandidate[] {
  const squeezed = span.join('');
  const guesses = new Map<string, boolean>();
  const offer = (subject: string, isGuess: boolean) => {
    if (guesses.size === maxCandidates || guesses.has(subject)) return;
    if (codes.listSpellings(subject).length > 0) guesses.set(subject, isGuess);
  };
  const names = [span, ...shortForms.listFullForms(squeezed).map(toTerms)];
  offer(squeezed, false);
  for (const name of names) {
    for (const code of shortForms.listSubjectCodes(name.join(''))) {
      offer(toTerms(code).join(''), false);
    }
  }
  for (const name of withGuesses ? names : []) {
    for (const code of listAbbreviations(name.filter((word) => !isStopWord(word)))) {
      offer(code, true);
    }
  }
  return Array.from(guesses, ([subject, isGuess]) => ({ subject, isGuess }));
}

/** Beginnings of one word, or of each of several words: `biol`, `compsci`, `cs`. */
function listAbbreviations(words: readonly string[]): string[] {
  const [first = '', second = '', third = ''] = words;
  if (words.length === 1) {
    return Array.from({ length: Math.max(0, first.length - minPrefix) }, (_, i) =>
      first.slice(0, first.length - 1 - i),
    ).filter((code) => code.length <= 8);
  }
  if (words.length === 2) {
    return listBeginnings(first).flatMap((a) => listBeginnings(second).map((b) => a + b));
  }
  return words.length === 3 ? [first[0], second[0], third[0]].join('').split(' ') : [];
}

function listBeginnings(word: string): string[] {
  return Array.from({ length: Math.min(maxPartLength, word.length) }, (_, i) =>
    word.slice(0, i + 1),
  );
}
