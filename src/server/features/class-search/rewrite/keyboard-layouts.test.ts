import { expect, test } from 'vitest';
import { inOtherLayouts } from './keyboard-layouts.ts';

test.each([
  ['сфдс 2', 'calc 2'],
  ['Фдпуикф', 'algebra'],
  ['αλγεβρα', 'algebra'],
  ['ghbdtn', 'привет'],
])('the keys of %s also type %s [SEARCH-103]', (typed, meant) => {
  expect(inOtherLayouts(typed)).toContain(meant);
});

test.each(['', '146', 'calc сфдс', '微积分'])('%j has no other layout [SEARCH-103]', (typed) => {
  expect(inOtherLayouts(typed)).toEqual([]);
});
