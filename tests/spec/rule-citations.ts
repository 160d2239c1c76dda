// The rules of SPEC.md, and the tests that cite them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/run-tool.ts';

export interface Rule {
  id: string;
  text: string;
  /** If the rule has no implementation yet: the subject of the issue that adds it. */
  notBuilt: string | null;
  withdrawn: boolean;
}

const ruleId = /[A-Z][A-Z0-9]*-\d+/;

const row = new RegExp(`^\\|\\s*(${ruleId.source})\\s*\\|(.*)\\|[^|]*\\|$`, 'gm');

/** The rules of SPEC.md in order. Each table row is one rule, with its id in the first cell. */
export function parseRules(spec: string): Rule[] {
  return [...spec.matchAll(row)].map(([, id = '', text = '']) => ({
    id,
    text: text.trim(),
    notBuilt: /_not built yet: ([^_]+)_/.exec(text)?.[1] ?? null,
    withdrawn: text.includes('_withdrawn_'),
  }));
}

export function readRules(): Rule[] {
  return parseRules(readFileSync(join(projectRoot, 'SPEC.md'), 'utf8'));
}

export interface Citation {
  file: string;
  rule: string;
}

/** The rule ids at the end of a test title: 'refuses another domain [AUTH-2, AUTH-3]'. */
const citation = new RegExp(`\\[(${ruleId.source}(?:,\\s*${ruleId.source})*)\\]['"\`]`, 'g');

export function readCitations(): Citation[] {
  return globSync(
    [
      '{src,tests}/**/*.{test,spec}.{ts,tsx}',
      'scripts/{check-install,web-weight}.ts',
      'tests/faults/nodes/node-faults.ts',
    ],
    {
      cwd: projectRoot,
    },
  )
    .filter((file) => !file.startsWith('tests/spec/'))
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(projectRoot, file), 'utf8').matchAll(citation)]
        .flatMap(([, ids = '']) => ids.split(/,\s*/))
        .map((rule) => ({ file, rule })),
    );
}

/** The mismatches between the rules and the tests that cite them, one line each. */
export function findMismatches(rules: readonly Rule[], citations: readonly Citation[]): string[] {
  const ids = new Set(rules.map(({ id }) => id));
  const cited = new Set(citations.map(({ rule }) => rule));
  const unknown = citations.filter(({ rule }) => !ids.has(rule));
  return [
    ...rules
      .filter(({ id }, n) => rules.findIndex((rule) => rule.id === id) !== n)
      .map(({ id }) => `${id} is given twice`),
    ...rules
      .filter(({ id, notBuilt, withdrawn }) => !notBuilt && !withdrawn && !cited.has(id))
      .map(({ id, text }) => `${id} has no test: ${text}`),
    ...rules
      .filter(({ id, notBuilt }) => notBuilt && cited.has(id))
      .map(({ id }) => `${id} is marked as not built, and a test cites it: take the mark away`),
    ...unknown.map(({ file, rule }) => `${rule} is cited in ${file}, and is no rule`),
  ];
}
