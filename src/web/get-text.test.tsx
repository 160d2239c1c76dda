// The test run replaces the keys as the build does (vitest.config.ts).
import { act } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Message } from '#contract/message-format.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';

const { root, container } = setUpRoot();

afterEach(() => {
  vi.resetModules();
  delete globalThis.catalogue;
  document.documentElement.lang = '';
  document.dir = '';
});

const errors: Record<string, Message> = {
  MUTED: 'Stumm.',
  READ_ONLY: 'Nur lesen.',
  QUIET_TIME: ['Ruhe: ', ['sentence']],
};

async function loadIn(language: string, texts: readonly unknown[]) {
  vi.resetModules();
  document.documentElement.lang = language;
  globalThis.catalogue = { texts: texts as Message[], errors };
  const { getText, wordError } = await import('#web/get-text.ts');
  const { getRichText } = await import('#web/get-rich-text.ts');
  return {
    findText: getText as unknown as (place: unknown, english: unknown, values?: unknown) => string,
    getRichText,
    wordError,
  };
}

test('a page of another language shows its texts, and English for those that it lacks', async () => {
  const { findText } = await loadIn('de', ['Senden', undefined, [['count', 4], ' Fragen']]);

  expect(findText(0, 'Send')).toBe('Senden');
  expect(findText(1, 'Copy')).toBe('Copy');
  expect(findText(2, [['count', 4], ' questions'], { count: 4000 })).toBe('4.000 Fragen');
});

test('texts of one group have the rest of their keys as names', async () => {
  vi.resetModules();
  const { getTexts } = await import('#web/get-text.ts');

  expect(getTexts('data.season')).toEqual({
    Fall: 'Fall',
    Spring: 'Spring',
    Summer: 'Summer',
    Winter: 'Winter',
  });
});

test('an error of the server is worded by its code, and a code that the page does not know keeps its English sentence', async () => {
  const { wordError } = await loadIn('de', []);

  expect(wordError({ code: 'MUTED', message: 'A moderator muted you.' })).toBe('Stumm.');
  expect(wordError({ code: 'NEW', message: 'Something new.' })).toBe('Something new.');
});

test('an error with several sentences is worded by its reason and what it names', async () => {
  const { wordError } = await loadIn('de', []);
  const error = { code: 'READ_ONLY', message: 'Read-only: “Exam”', values: { sentence: 'Exam' } };

  expect(wordError({ ...error, reason: 'QUIET_TIME' })).toBe('Ruhe: Exam');
  expect(wordError({ ...error, reason: 'NEWER_REASON' })).toBe('Read-only: “Exam”');
});

test('from right to left, a value keeps its own direction, and does not reorder the words around it', async () => {
  const message = ['من ', ['name'], ' ', ['count', 4], ' ', ['kind', 1, { pdf: 'PDF' }]];
  const name = [['name']];
  const { findText, getRichText } = await loadIn('ar', [message, name, [['b', ...name]]]);
  const values = { name: 'Otter (CS 146)', count: 2, kind: 'pdf' };

  expect(findText(0, '', values)).toBe('من Otter (CS 146) 2 PDF');

  document.dir = 'rtl';

  expect(findText(0, '', values)).toBe('من \u2068Otter (CS 146)\u2069 2 PDF');
  expect(findText(1, '', { name: '' })).toBe('');
  // A moment of a day and a time begins at the right.
  expect(findText(1, '', { name: '\u20682 مايو\u2069، \u20685:30\u2069' })).toBe(
    '\u2067\u20682 مايو\u2069، \u20685:30\u2069\u2069',
  );

  const findRichText = getRichText as unknown as typeof findText;
  await act(async () => root.render(findRichText(2, '', { name: 'Otter', b: <b /> })));

  expect(container.innerHTML).toBe('<b>\u2068Otter\u2069</b>');
});

test('an English sentence on a page from right to left keeps the order of its words', async () => {
  const { findText, wordError } = await loadIn('ar', [undefined]);
  document.dir = 'rtl';

  expect(findText(0, [['name'], ' ends.'], { name: 'CS 146' })).toBe(
    '\u2066\u2068CS 146\u2069 ends.\u2069',
  );
  expect(wordError({ code: 'NEW', message: 'Something new.' })).toBe('\u2066Something new.\u2069');
});

test('a tag of a text puts its words into an element', async () => {
  const { getRichText } = await import('#web/get-rich-text.ts');

  await act(async () =>
    root.render(<p>{getRichText('lectures.votes', { count: 4000, b: <b id="votes" /> })}</p>),
  );

  expect(container.innerHTML).toBe('<p><b id="votes">4,000</b> have this too</p>');
});
