import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { firefoxJourneys } from '#tests/e2e/firefox-journeys.ts';

const folder = resolve(import.meta.dirname, '../e2e');
const sources = globSync(`${folder}/*.spec.ts`).map((file) => readFileSync(file, 'utf8'));

test('each journey that runs in Firefox is one test of tests/e2e', () => {
  const titles = sources.flatMap((source) =>
    [...source.matchAll(/^test\('(.*)'/gm)].map(([, title = '']) => title),
  );
  const matchCounts = firefoxJourneys.map((words) => ({
    words,
    count: titles.filter((title) => title.startsWith(words)).length,
  }));

  expect(matchCounts.filter(({ count }) => count !== 1)).toEqual([]);
});
