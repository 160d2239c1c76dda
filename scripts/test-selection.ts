/**
 * Groups the arguments of `npm test` by step. Without files, each step is whole. A file runs at the named steps, otherwise at its
 * own.
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
  if (/^(src|bench)\//.test(file)) return 'unit';
  if (file.startsWith('tests/e2e/judges/')) return 'judges';
  if (file.startsWith('tests/e2e/webkit-')) return 'webkit';
  if (file.startsWith('tests/e2e/')) return 'e2e';
  if (file.startsWith('tests/deploy/')) return 'deploy';
  return file.endsWith('.postgres.test.ts') ? 'postgres' : 'integration';
}
