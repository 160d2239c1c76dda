import { expect, it } from 'vitest';
import { limitCombiningMarks } from './limit-combining-marks.ts';

it('a text keeps ten combining marks in a row, and all else [MARKUP-25]', () => {
  expect(limitCombiningMarks(`Z${'\u0301'.repeat(100)}a`)).toBe(`Z${'\u0301'.repeat(10)}a`);
  for (const text of ['', 'Tiếng Việt', 'שְׁמַ֖ע', 'བསྒྲུབས', 'สวัสดี', '👩🏽‍🚀 ❤️', `e\u0301\u0323\u0302`]) {
    expect(limitCombiningMarks(text)).toBe(text);
  }
});
