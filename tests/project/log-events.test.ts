// docs/operate.md explains each event of the server's log to the administrator.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

const loadFile = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

test('the table of docs/operate.md has each event of the log once, and no other [DEPLOY-20]', () => {
  const [, union = ''] =
    /export type LogEvent =([^;]+);/.exec(loadFile('src/server/base/log.ts')) ?? [];
  const events = [...union.matchAll(/'([^']+)'/g)].map(([, event]) => event);
  expect(events.length).toBeGreaterThan(40);

  const rows = loadFile('docs/operate.md').matchAll(
    /^\| (`[a-z-]+\.[a-z-]+`.*?) \| \S.* \| \S.* \|$/gm,
  );
  const explained = [...rows].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([a-z.-]+)`/g)].map(([, event]) => event),
  );
  expect(new Set(explained)).toEqual(new Set(events));
  expect(explained).toHaveLength(events.length);
});
