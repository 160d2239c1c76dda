import { expect, test } from 'vitest';
import { findRanges } from './mark-words.ts';

test.each([
  ['Trees: a tree, a street', 'tree', ['Tree', 'tree']],
  ['C++ or C, a Wi-Fi', 'c++ wifi', ['C++', 'Wi-Fi']],
  ['<p>a <strong>tree</strong></p><p>tree house</p>', 'tree house', ['tree', 'tree', 'house']],
])('in %s the query %s marks %s [LAYOUT-90]', (html, query, marks) => {
  const text = document.createElement('div');
  text.innerHTML = html;

  expect(findRanges(text, query).map(String)).toEqual(marks);
});
