// The rules of docs/spec, and the tests that cite them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-tool.ts';

export interface Rule {
  id: string;
  text: string;
  /** The subject of the issue that adds the rule, or null if the rule is implemented. */
  notBuilt: string | null;
}

const ruleId = /[A-Z][A-Z0-9]*-\d+/;

const row = new RegExp(`^\\|\\s*(${ruleId.source})\\s*\\|(.*)\\|[^|]*\\|$`, 'gm');

/** Parses the rules of a page, in order. Each table row is a rule, with its id in the first cell. */
export function parseRules(spec: string): Rule[] {
  return [...spec.matchAll(row)].map(([, id = '', text = '']) => ({
    id,
    text: text.trim(),
    notBuilt: /_not built yet: ([^_]+)_/.exec(text)?.[1] ?? null,
  }));
}

export function loadRules(): Rule[] {
  return globSync('docs/spec/*.md', { cwd: projectRoot })
    .toSorted()
    .flatMap((file) => parseRules(readFileSync(join(projectRoot, file), 'utf8')));
}

/** The levels of tests, the cheapest first. */
export const levels = [
  'unit',
  'web',
  'integration',
  'postgres',
  'weight',
  'install',
  'deploy',
  'faults',
  'e2e',
  'judges',
] as const;
export type Level = (typeof levels)[number];

export interface Citation {
  file: string;
  rule: string;
  /** The title of the test, without the ids. */
  title: string;
}

/** The title of a test in quotes that ends with the ids of rules: 'Another domain is rejected [AUTH-2, AUTH-3]'. */
const citation = new RegExp(
  `(['"\`])((?:(?!\\1).)*)\\[(${ruleId.source}(?:,\\s*${ruleId.source})*)\\]\\1`,
  'g',
);

export function loadCitations(): Citation[] {
  const patterns = [
    '{src,bench,tests}/**/*.{test,spec}.{ts,tsx}',
    'scripts/{check-install,web-weight}.ts',
    'tests/faults/nodes/node-faults.ts',
  ];
  return globSync(patterns, { cwd: projectRoot })
    .filter((file) => !file.startsWith('tests/spec/'))
    .toSorted()
    .flatMap((file) => parseCitations(file, readFileSync(join(projectRoot, file), 'utf8')));
}

export function parseCitations(file: string, source: string): Citation[] {
  return [...source.matchAll(citation)].flatMap(([, , title = '', ids = '']) =>
    ids.split(/,\s*/).map((rule) => ({ file, rule, title: title.trim() })),
  );
}

/** Derives the level of a test from its file. A level is a step of `npm test`. */
export function toLevel(file: string): Level {
  if (file.startsWith('src/web/')) return 'web';
  if (/^(src|bench)\//.test(file)) return 'unit';
  if (file.startsWith('tests/e2e/judges/')) return 'judges';
  if (file.startsWith('tests/e2e/')) return 'e2e';
  if (file.startsWith('tests/deploy/')) return 'deploy';
  if (file.startsWith('tests/faults/nodes/')) return 'faults';
  if (file === 'scripts/check-install.ts') return 'install';
  if (file === 'scripts/web-weight.ts') return 'weight';
  return file.endsWith('.postgres.test.ts') ? 'postgres' : 'integration';
}

/** Lists the mismatches between the rules and the tests that cite them, one line each. */
export function findMismatches(rules: readonly Rule[], citations: readonly Citation[]): string[] {
  const ids = new Set(rules.map(({ id }) => id));
  const citedIds = new Set(citations.map(({ rule }) => rule));
  const unknownCitations = citations.filter(({ rule }) => !ids.has(rule));
  return [
    ...rules
      .filter(({ id }, n) => rules.findIndex((rule) => rule.id === id) !== n)
      .map(({ id }) => `${id} is given twice`),
    ...rules
      .filter(({ id, notBuilt }) => !notBuilt && !citedIds.has(id))
      .map(({ id, text }) => `${id} has no test: ${text}`),
    ...rules
      .filter(({ id, notBuilt }) => notBuilt && citedIds.has(id))
      .map(({ id }) => `${id} is marked as not built, and a test cites it: take the mark away`),
    ...unknownCitations.map(({ file, rule }) => `${rule} is cited in ${file}, and is no rule`),
  ];
}
