/**
 * The step `rules` of `npm test` fails if a rule of spec/ has no test, or if a test cites an id that no rule has.
 * `npm run rules -- MOD SEND-4` lists the tests of an area or a rule.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-tool.ts';

export interface Rule {
  id: string;
  text: string;
  /** The subject of the issue that adds the rule, or null if the rule is implemented. */
  notBuilt: string | null;
}

export interface Citation {
  file: string;
  rule: string;
  /** The title of the test, without the ids. */
  title: string;
}

const ruleId = /[A-Z][A-Z0-9]*-\d+/;
const row = new RegExp(`^\\|\\s*(${ruleId.source})\\s*\\|(.*)\\|$`, 'gm');
/** The title of a test in quotes that ends with the ids of rules: 'Another domain is rejected [AUTH-1, AUTH-3]'. */
const citation = new RegExp(
  `(['"\`])((?:(?!\\1).)*)\\[(${ruleId.source}(?:,\\s*${ruleId.source})*)\\]\\1`,
  'g',
);

/** Parses the rules of a page, in order. Each table row is a rule, with its id in the first cell. */
export function parseRules(spec: string): Rule[] {
  return [...spec.matchAll(row)].map(([, id = '', text = '']) => ({
    id,
    text: text.trim(),
    notBuilt: /_not built yet: ([^_]+)_/.exec(text)?.[1] ?? null,
  }));
}

export function parseCitations(file: string, source: string): Citation[] {
  return [...source.matchAll(citation)].flatMap(([, , title = '', ids = '']) =>
    ids.split(/,\s*/).map((rule) => ({ file, rule, title: title.trim() })),
  );
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

function loadRules(): Rule[] {
  return loadFiles(['spec/*.md']).flatMap(({ text }) => parseRules(text));
}

function loadCitations(): Citation[] {
  const patterns = [
    '{src,bench,tests}/**/*.{test,spec}.{ts,tsx}',
    'scripts/{check-install,web-weight}.ts',
    'tests/faults/nodes/node-faults.ts',
  ];
  return loadFiles(patterns)
    .filter(({ file }) => !file.startsWith('tests/spec/') && !file.includes('node_modules'))
    .flatMap(({ file, text }) => parseCitations(file, text));
}

function loadFiles(patterns: string[]): { file: string; text: string }[] {
  return globSync(patterns, { cwd: projectRoot })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(projectRoot, file), 'utf8') }));
}

/** @returns whether each rule has a test */
export function checkRules(): boolean {
  const rules = loadRules();
  const mismatches = findMismatches(rules, loadCitations());
  for (const line of mismatches) console.error(line);
  if (mismatches.length === 0) console.log(`${rules.length} rules have tests.`);
  return mismatches.length === 0;
}

if (import.meta.main) {
  const wantedRules = process.argv.slice(2);
  const citations = Map.groupBy(loadCitations(), ({ rule }) => rule);
  for (const { id, text } of loadRules()) {
    if (!wantedRules.includes(id) && !wantedRules.includes(id.replace(/-\d+$/, ''))) continue;
    console.log(`${id} ${text}`);
    for (const { file, title } of citations.get(id) ?? []) console.log(`    ${file}: ${title}`);
  }
}
