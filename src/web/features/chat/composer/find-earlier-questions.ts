// Finds the questions of a class that are nearest to a typed one, by the words that they share.
import { foldText } from '#contract/text-order.ts';

const maxFound = 3;

/** Words that say nothing about the subject of a question. */
const stopWords = new Set(
  `a about am an and any anybody anyone are as at be been but by can could did do does for from get got had has have
  hello help hey hi how i if in into is it its know like me my need no not of on one or our please question should so
  some someone still tell than thanks that the their them then there these they this those to too up us was we were what
  when where which who why will with would you your`.split(/\s+/),
);

interface Candidate {
  text: string;
  createdAt: number;
}

/** @returns at most three questions, the nearest first; of equally near ones, the newest */
export function findEarlierQuestions<Question extends Candidate>(
  questions: readonly Question[],
  typedText: string,
): Question[] {
  const typedWords = listWords(typedText);
  return questions
    .map((question) => {
      const words = listWords(question.text);
      // One shared word is too little, unless one of the texts has no other.
      const minCount = Math.max(1, Math.min(2, typedWords.size, words.size));
      return { question, sharedCount: typedWords.intersection(words).size, minCount };
    })
    .filter(({ sharedCount, minCount }) => sharedCount >= minCount)
    .toSorted(
      (a, b) => b.sharedCount - a.sharedCount || b.question.createdAt - a.question.createdAt,
    )
    .slice(0, maxFound)
    .map(({ question }) => question);
}

/** The words of a text without case, accents and the plural s. */
function listWords(text: string): Set<string> {
  const words = foldText(text).match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  return new Set(
    words
      .filter((word) => !stopWords.has(word))
      .map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)),
  );
}
