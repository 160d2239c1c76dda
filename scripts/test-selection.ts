// Which steps and test files the arguments of `npm test` select.
import { toLevel } from './rule-citations.ts';

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

function toStep(file: string): string {
  const level = toLevel(file);
  return level === 'web' ? 'unit' : level;
}
