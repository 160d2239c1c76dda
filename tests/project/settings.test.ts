// The declarations of the settings produce the texts that administrators read about them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultRates } from '#server/base/rates.ts';
import { formatRate, rateNames, unscaledRates } from '#server/config/rate-settings.ts';
import { secretSettings } from '#server/config/settings.ts';
import { projectRoot } from '../../scripts/run-tool.ts';
import { formatExample, formatPage } from '../../scripts/write-settings.ts';

const loadFile = (file: string) => readFileSync(join(projectRoot, file), 'utf8');

test('docs/configuration.md and .env.example equal the declared settings', async () => {
  expect(loadFile('docs/configuration.md')).toBe(await formatPage());
  expect(loadFile('.env.example')).toBe(formatExample());
});

test('docs/configuration.md names the file of each secret', () => {
  const [, paragraph = ''] =
    /A secret can be in a file of its own[^:]*:(.*?)\. /s.exec(loadFile('docs/configuration.md')) ??
    [];
  const named = [...paragraph.matchAll(/`(\w+)_FILE`/g)].map(([, name]) => name);

  expect(new Set(named)).toEqual(new Set(secretSettings));
});

test('docs/limits.md has the default of each limit, and says which ones the factor leaves', () => {
  const rows = loadFile('docs/limits.md').matchAll(/^\| `([a-z]\w+)` +\| (\S+)( ×1)? +\|/gm);

  expect([...rows].map(([, name, rate, mark]) => [name, rate, mark !== undefined])).toEqual(
    rateNames.map((name) => [name, formatRate(defaultRates[name]), unscaledRates.has(name)]),
  );
});
