// The arguments of `npm test`.
import { expect, test } from 'vitest';
import { groupByStep } from '../../scripts/test-selection.ts';

const group = (...names: string[]) => Object.fromEntries(groupByStep(names));

test('a test file runs at its own step, unless a step is named', () => {
  expect(group('types', 'unit')).toEqual({ types: [], unit: [] });
  expect(group('src/web/a.test.tsx', 'src/server/b.test.ts', 'tests/e2e/c.spec.ts')).toEqual({
    unit: ['src/web/a.test.tsx', 'src/server/b.test.ts'],
    e2e: ['tests/e2e/c.spec.ts'],
  });
  expect(group('tests/app/d.test.ts', 'tests/app/e.postgres.test.ts')).toEqual({
    integration: ['tests/app/d.test.ts'],
    postgres: ['tests/app/e.postgres.test.ts'],
  });
  expect(group('tests/e2e/webkit-journeys.spec.ts')).toEqual({
    webkit: ['tests/e2e/webkit-journeys.spec.ts'],
  });
  expect(group('firefox', 'tests/e2e/c.spec.ts')).toEqual({ firefox: ['tests/e2e/c.spec.ts'] });
});
