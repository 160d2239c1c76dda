import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { countsFileVariable, type Counts } from './test-counts.ts';

/** Failures include a part of the diff, because CI often keeps only the closing lines of a run. */
const maxDiffLines = 12;

/** Writes the counts of a run of Vitest to a file. */
export default class VitestCounts implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    // These errors are of code that runs between or after tests, for example a promise rejection that nothing handles.
    unhandledErrors: readonly SerializedError[],
  ): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const states = tests.map((test) => test.result().state);
    const failures = [
      ...tests.filter((test) => test.result().state === 'failed').map(describeFailure),
      ...modules.flatMap(listErrorsOutsideTests),
      ...unhandledErrors.map((error) => `outside of tests: ${toTopOfStack(error)}`),
    ];
    const counts: Counts = {
      passed: states.filter((state) => state === 'passed').length,
      failed: failures.length,
      skipped: states.filter((state) => state === 'skipped').length,
      failures,
      flaky: tests.flatMap(listFlaky),
    };
    writeFileSync(process.env[countsFileVariable]!, JSON.stringify(counts));
  }
}

/** Lists errors of imports and hooks. */
function listErrorsOutsideTests(module: TestModule): string[] {
  const suites = [module, ...module.children.allSuites()];
  return suites
    .flatMap((suite) => suite.errors())
    .map((error) => `${toPath(module)}: ${getFirstLine(error)}`);
}

function describeFailure(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  const changedLines = stripVTControlCharacters(error?.diff ?? '')
    .split('\n')
    .filter((line) => /^[+-]/.test(line))
    .slice(0, maxDiffLines);
  const lines = [toName(test), ...(error ? [getFirstLine(error)] : []), ...changedLines];
  return lines.join('\n    ');
}

function listFlaky(test: TestCase): string[] {
  const result = test.result();
  const [error] = result.errors ?? [];
  return result.state === 'passed' && error ? [`${toName(test)}\n    ${getFirstLine(error)}`] : [];
}

const toName = (test: TestCase) => `${toPath(test.module)}: ${test.fullName}`;
const toPath = ({ moduleId }: TestModule) => relative(process.cwd(), moduleId);
const toTopOfStack = ({ message, stack }: SerializedError) =>
  (stack ?? message).split('\n').slice(0, 4).join('\n');
const getFirstLine = ({ message }: SerializedError) => message.split('\n')[0] ?? '';
