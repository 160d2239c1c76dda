import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../run-tool.ts';
import { ruleId } from './rules.ts';

export interface Citation {
  file: string;
  rule: string;
}

/** The rule ids at the end of a test title: 'refuses another domain [AUTH-2, AUTH-3]'. */
const cited = new RegExp(`\\[(${ruleId.source}(?:,\\s*${ruleId.source})*)\\]['"\`]`, 'g');

export function readCitations(): Citation[] {
  return globSync(
    ['{src,tests}/**/*.{test,spec}.{ts,tsx}', 'scripts/{check-install,web-weight}.ts'],
    {
      cwd: projectRoot,
    },
  )
    .filter((file) => !file.startsWith('tests/spec/'))
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(projectRoot, file), 'utf8').matchAll(cited)]
        .flatMap(([, ids = '']) => ids.split(/,\s*/))
        .map((rule) => ({ file, rule })),
    );
}
