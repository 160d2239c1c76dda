import { expect, test } from 'vitest';
import { isNestedTooDeep, maxJsonDepth } from './json-depth.ts';

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

test('JSON is too deep past the limit, and not at it [HTTP-36]', () => {
  expect(isNestedTooDeep(nested(maxJsonDepth))).toBe(false);
  expect(isNestedTooDeep(nested(maxJsonDepth + 2))).toBe(true);
  expect(isNestedTooDeep(`[${'[],'.repeat(1000)}1]`)).toBe(false);
});

test('brackets in strings count for nothing, whatever is escaped there [HTTP-36]', () => {
  const text = `\\"${'['.repeat(100)}\\`;
  expect(isNestedTooDeep(JSON.stringify({ text, more: [text] }))).toBe(false);
  // The string ends before the brackets, because its last backslash is itself escaped.
  expect(isNestedTooDeep(`["\\\\",${'['.repeat(maxJsonDepth)}`)).toBe(true);
});
