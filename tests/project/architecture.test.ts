// ARCHITECTURE.md leads newcomers to files, so it may name none that has moved.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

/** The life of a message shortens its paths to those below these folders. */
const roots = ['', 'src/server', 'src/web'];

function listNamedPaths(text: string): string[] {
  return [...text.matchAll(/`([\w-]+(?:[/.][\w-]+)+)`/g)].map(([, path = '']) => path);
}

function isThere(path: string): boolean {
  return roots.some((root) => existsSync(join(projectRoot, root, path)));
}

test('each path that ARCHITECTURE.md names exists', () => {
  const paths = listNamedPaths(readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8'));

  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test('the check finds a path that does not exist', () => {
  const paths = listNamedPaths(
    '`src/server/store`, `sync/no-such-file.ts`, `/privacy` and `post`.',
  );

  expect(paths).toEqual(['src/server/store', 'sync/no-such-file.ts']);
  expect(paths.filter((path) => !isThere(path))).toEqual(['sync/no-such-file.ts']);
});
