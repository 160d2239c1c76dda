// The arguments of `npm test`.
import { expect, test } from 'vitest';
import { groupByStep, listConcernedTests } from '../../scripts/test-selection.ts';

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
  expect(group('firefox', 'tests/e2e/c.spec.ts')).toEqual({ firefox: ['tests/e2e/c.spec.ts'] });
});

test('a change of the server concerns the tests of its module or feature', () => {
  const tests = listConcernedTests([
    'src/server/features/polls/polls.ts',
    'src/server/mail/mails.ts',
    'src/web/app/app.tsx',
    'tests/e2e/chat.spec.ts',
  ]);

  expect(tests).toContain('tests/app/polls/polls.test.ts');
  expect(tests).toContain('tests/app/mail/mails.test.ts');
  expect(tests).toContain('tests/e2e/chat.spec.ts');
  expect(tests.filter((file) => !/polls|mail|chat\.spec/.test(file))).toEqual([]);
});
