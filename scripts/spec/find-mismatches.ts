import type { Citation } from './citations.ts';
import type { Rule } from './rules.ts';

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
