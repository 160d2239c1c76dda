import { expect, test } from 'vitest';
import { findRanges, toWordPattern } from './mark-words.ts';

function showMarks(html: string, words: readonly string[]): string[] {
  const text = document.createElement('div');
  text.innerHTML = html;
  return findRanges(text, toWordPattern(words)).map(String);
}

test.each([
  ['Trees: a tree, a street', ['Tree', 'tree'], ['Tree', 'tree']],
  ['a street', ['tree'], []],
  ['CS146 and 2146', ['146'], ['146']],
  ['see d’Élodie, Élodie', ['Élodie'], ['Élodie', 'Élodie']],
  ['ein Straßenbaum', ['Straße'], ['Straße']],
  ['期末考试在周一', ['考试'], ['考试']],
  ['what (now)?', ['now'], ['now']],
  ['C++ or C', ['C++'], ['C++']],
  ['<p>a <strong>tree</strong></p><p>tree</p>', ['tree'], ['tree', 'tree']],
])('in %s the words %s are marked where a word begins [LAYOUT-90]', (html, words, marks) => {
  expect(showMarks(html, words)).toEqual(marks);
});
