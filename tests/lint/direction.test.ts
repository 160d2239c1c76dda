import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const projectRoot = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'backchannel-direction-'));

function listPairs(folders: string[], imports: string[]): [string, string][] {
  return folders.flatMap((inFolder) => imports.map((code): [string, string] => [inFolder, code]));
}

/** The path of the importing file, and the import. */
const rejectedImports: [string, string][] = [
  ['src/contract', "import '#server/config.ts';"],
  ['src/contract', "import '../server/config.ts';"],
  ['src/contract', "import './../server/config.ts';"],
  ['src/contract', "import '#web/site.ts';"],
  ['src/contract', "import '../web/site.ts';"],
  ['src/contract', "import 'node:crypto';"],
  ['src/contract', "import 'hono';"],
  ['src/contract', "import type { Config } from '#server/config.ts';"],
  ['src/contract', "export * from '#web/site.ts';"],
  ['src/contract', "await import('#server/config.ts');"],

  ...listPairs(
    ['src/server/http', 'src/server/store'],
    [
      "import '#web/site.ts';",
      "import '../../web/site.ts';",
      "import '../../contract/errors.ts';",
      "import { env } from 'node:process'; env.PORT;",
      'process.env.PORT;',
      'const { env } = process; env.PORT;',
    ],
  ),

  ['src/server/chat', "import '#web/site.ts';"],
  ['src/server/chat', "import '../../contract/errors.ts';"],
  ['src/server/chat', "import 'hono';"],
  ['src/server/chat', "import 'hono/cors';"],
  ['src/server/chat', "import 'ws';"],
  ['src/server/chat', "import 'better-sqlite3';"],
  ['src/server/chat', "import 'pg';"],
  ['src/server/chat', "import 'node:fs';"],
  ['src/server/chat', 'process.env.PORT;'],

  ...listPairs(
    ['src/web/data', 'src/web/features/chat', 'src/web/features/a/b', 'src/web/sync', 'src/web/ui'],
    [
      "import '#server/config.ts';",
      "import '../../server/config.ts';",
      "import type { Config } from '#server/config.ts';",
      "import '../../contract/errors.ts';",
      "import { messageSchema } from '#contract/entities.ts';",
      "import { newClassSchema } from '#contract/classes.ts';",
      "import { serverFrame } from '#contract/socket.ts';",
      "import { classSearchCalls } from '#contract/class-search.ts';",
      "import { z } from 'zod';",
      "import { Link, useLocation } from 'react-router';",
      "import 'node:crypto';",
    ],
  ),

  ['src/web/markup', "import 'react';"],

  ['src/web/sync', "import 'react';"],
  ['src/web/sync', "import type { ReactNode } from 'react';"],
  ['src/web/sync', "import 'react-dom/client';"],
  ['src/web/sync', "import '@tanstack/react-query';"],
];

const allowedImports: [string, string][] = [
  ['src/contract', "import './limits.ts'; import '#contract/errors.ts'; import 'zod';"],
  ['src/server/http', "import '#server/base/log.ts'; import '#contract/http.ts'; import 'hono';"],
  ['src/server/chat', "import './classes.ts'; import '#contract/http.ts'; import 'kysely';"],
  ['src/server/chat', "import '#server/store/database.ts'; import 'node:crypto';"],
  ['src/web/data', "import '#contract/routes.ts'; import '#web/ui/icon.tsx'; import 'react';"],
  ['src/web/data', "import type { Message } from '#contract/entities.ts';"],
  ['src/web/features/chat', "import './room.tsx'; import './list/list.tsx';"],
  ['src/web/features/chat', "import '#web/ui/icon.tsx'; import '#web/sync/store.ts';"],
  ['src/web/features/chat/list', "import '../room.tsx';"],
  ['src/web/ui', "import './icon.tsx'; import 'react';"],
  ['src/web/features/chat', "import { useLocation } from 'react-router';"],
  ['src/web/sync', "import './store.ts'; import '#contract/limits.ts';"],
];

const planted = [...rejectedImports, ...allowedImports].map(([inFolder, code], n) => ({
  file: `${inFolder}/planted-${n}.ts`,
  code,
}));
const findMismatches = new Map<string, string[]>();
let filesRead = 0;

beforeAll(() => {
  copyFileSync(join(projectRoot, 'oxlint.config.ts'), join(folder, 'oxlint.config.ts'));
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  // The configuration loads a plugin from there.
  symlinkSync(join(projectRoot, 'scripts'), join(folder, 'scripts'));
  for (const { file, code } of planted) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), `${code}\n`);
  }
  const oxlint = join(projectRoot, 'node_modules/oxlint/bin/oxlint');
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '--format', 'json', 'src'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const report = JSON.parse(stdout || `{"error":${JSON.stringify(stderr)}}`) as Report;
  filesRead = report.number_of_files;
  for (const { filename, code } of report.diagnostics) {
    const file = relative(folder, resolve(folder, filename));
    findMismatches.set(file, [...(findMismatches.get(file) ?? []), code]);
  }
});

interface Report {
  number_of_files: number;
  diagnostics: { filename: string; code: string }[];
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('lint reads every planted file', () => {
  expect(filesRead).toBe(planted.length);
});

const directionRules = /no-restricted-(imports|properties)/;

test.each(planted.slice(0, rejectedImports.length))('lint rejects $code in $file', ({ file }) => {
  expect(findMismatches.get(file)).toContainEqual(expect.stringMatching(directionRules));
});

test.each(planted.slice(rejectedImports.length))('lint allows $code in $file', ({ file }) => {
  const rules = findMismatches.get(file) ?? [];

  expect(rules.filter((rule) => directionRules.test(rule))).toEqual([]);
});

test('only config.ts reads the environment', () => {
  const file = join(folder, 'src/server/config/config.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'export const port = process.env.PORT;\n');
  const oxlint = join(projectRoot, 'node_modules/oxlint/bin/oxlint');
  const { status, stdout } = spawnSync(process.execPath, [oxlint, file], {
    cwd: folder,
    encoding: 'utf8',
  });

  expect(stdout).not.toMatch(directionRules);
  expect(status).toBe(0);
});
