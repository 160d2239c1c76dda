import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../run-tool.ts';

export interface Rule {
  id: string;
  text: string;
  /** If the rule has no implementation yet: the subject of the issue that adds it. */
  notBuilt: string | null;
  withdrawn: boolean;
}

export const ruleId = /[A-Z][A-Z0-9]*-\d+/;

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
