import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, Reporter, Suite, TestCase } from '@playwright/test/reporter';
import { countsFileVariable, type Counts } from './test-counts.ts';

/** Writes the counts of a run of Playwright to a file. */
export default class PlaywrightCounts implements Reporter {
  #tests: TestCase[] = [];

  onBegin(_config: FullConfig, suite: Suite): void {
    this.#tests = suite.allTests();
  }

  onEnd(): void {
    const listTests = (outcome: ReturnType<TestCase['outcome']>) =>
      this.#tests.filter((test) => test.outcome() === outcome);
    const counts: Counts = {
      passed: listTests('expected').length + listTests('flaky').length,
      failed: listTests('unexpected').length,
      skipped: listTests('skipped').length,
      failures: listTests('unexpected').map(describe),
      flaky: listTests('flaky').map(describe),
    };
    writeFileSync(process.env[countsFileVariable]!, JSON.stringify(counts));
  }
}

function describe(test: TestCase): string {
  const message = test.results.find(({ error }) => error)?.error?.message ?? '';
  const firstLine = stripVTControlCharacters(message).split('\n')[0];
  return `${toPath(test)}: ${test.title}${firstLine ? `\n    ${firstLine}` : ''}`;
}

const toPath = ({ location }: TestCase) => relative(process.cwd(), location.file);
