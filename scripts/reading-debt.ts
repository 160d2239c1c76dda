// Counts where names and comments break the rules of reading-rules.ts, and writes reading-debt.json: `npm run reading-debt`.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCommandFile, projectRoot } from './run-tool.ts';

const { stdout } = spawnSync(process.execPath, [findCommandFile('oxlint'), '--format', 'json'], {
  cwd: projectRoot,
  env: { ...process.env, READING_DEBT: 'none' },
  encoding: 'utf8',
  maxBuffer: 1e9,
});
const { diagnostics } = JSON.parse(stdout) as {
  diagnostics: { code?: string; filename: string }[];
};
const counts: Record<string, Record<string, number>> = {};
for (const { code, filename } of diagnostics) {
  if (!code?.startsWith('reading(')) continue;
  const files = (counts[code] ??= {});
  files[filename] = (files[filename] ?? 0) + 1;
}
for (const [rule, files] of Object.entries(counts)) {
  const total = Object.values(files).reduce((sum, count) => sum + count, 0);
  console.log(`${rule}: ${total} in ${Object.keys(files).length} files`);
  counts[rule] = Object.fromEntries(
    Object.entries(files).toSorted(([a], [b]) => a.localeCompare(b)),
  );
}
writeFileSync(
  join(projectRoot, 'scripts/reading-debt.json'),
  `${JSON.stringify(counts, null, 2)}\n`,
);
