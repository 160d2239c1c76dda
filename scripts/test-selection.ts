// Which steps and test files the arguments of `npm test` select.
import { globSync } from 'node:fs';
import { toLevel } from './rule-citations.ts';
import { projectRoot } from './run-tool.ts';

/**
 * Groups the arguments by step. Without files, each step is whole. A file runs at the named steps, otherwise at its own.
 *
 * @returns for each step its files; no files mean the whole step
 */
export function groupByStep(names: readonly string[]): Map<string, readonly string[]> {
  const files = names.filter((name) => /\.(test|spec)\.tsx?$/.test(name));
  const steps = names.filter((name) => !files.includes(name));
  if (steps.length > 0) return new Map(steps.map((step) => [step, files]));
  return Map.groupBy(files, toStep);
}

/**
 * Lists the files of integration tests that a change concerns. Each of them imports the whole server, so imports do not tell:
 * `tests/app` has a folder for each module and feature of the server.
 */
export function listConcernedTests(changedFiles: readonly string[]): string[] {
  const areas = changedFiles.map((file) => toArea(file)).filter((area) => area !== undefined);
  const tests = areas.flatMap((area) =>
    globSync(`tests/app/${area}/*.test.ts`, { cwd: projectRoot }),
  );
  const changedTests = changedFiles.filter((file) => /^tests\/.*\.(test|spec)\.ts$/.test(file));
  const concerned = tests.filter((file) => !file.endsWith('.postgres.test.ts'));
  return [...new Set([...changedTests, ...concerned])];
}

function toArea(file: string): string | undefined {
  return /^src\/server\/(?:features\/)?([\w-]+)\//.exec(file)?.[1];
}

function toStep(file: string): string {
  const level = toLevel(file);
  return level === 'web' ? 'unit' : level;
}
