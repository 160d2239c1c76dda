import { expect, test } from 'vitest';
import { findEarlierQuestions } from './find-earlier-questions.ts';

const createQuestions = (...texts: string[]) =>
  texts.map((text, createdAt) => ({ text, createdAt }));
const findTexts = (typedText: string, ...texts: string[]) =>
  findEarlierQuestions(createQuestions(...texts), typedText).map(({ text }) => text);

test('the earlier questions with the most words of the typed one are offered, at most three [QUEST-63]', () => {
  const texts = [
    'When is the exam?',
    'Is the midterm exam open book?',
    'Which rooms are open on Sunday?',
    'Is the final exam open book, like the midterm?',
    'How do I open a book?',
    'What is a heap?',
  ];

  expect(findTexts('Will the midterm exam be open book?', ...texts)).toEqual([
    'Is the final exam open book, like the midterm?',
    'Is the midterm exam open book?',
    'How do I open a book?',
  ]);
});

test('words that every question has offer nothing, and one shared word is enough only if a text has no other [QUEST-63]', () => {
  expect(findTexts('How do I do this?', 'How do I do that?')).toEqual([]);
  expect(findTexts('Are trees balanced?', 'Which trees grow here?')).toEqual([]);
  expect(findTexts('trees?', 'What is a balanced tree?')).toHaveLength(1);
  expect(findTexts('Can somebody explain a heap?', 'What is a heap?')).toHaveLength(1);
});

test('case, accents and the plural do not matter [QUEST-63]', () => {
  expect(findTexts('CAFES near lectures', 'Which café is near the lecture?')).toHaveLength(1);
});
