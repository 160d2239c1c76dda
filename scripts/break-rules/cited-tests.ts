import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Citation } from '../spec/citations.ts';
import { impatientConfig } from './scratch-copy.ts';

export interface CitedTests {
  /** What noticed that something is wrong: a kind of tests, or null when all of them passed. */
  whatFails(rule: string, changedFile: string): string | null;
  /** Says what fails without a change. */
  failsUnchanged(rules: readonly string[]): string[];
}

/** @param browser the path of a Chromium, or null to leave the tests that need one out */
export function citedTests(
  root: string,
  citations: readonly Citation[],
  browser: string | null,
): CitedTests {
  function filesOf(rules: readonly string[]) {
    const files = citations.filter(({ rule }) => rules.includes(rule)).map(({ file }) => file);
    const all = [...new Set(files)].filter((file) => !file.endsWith('.postgres.test.ts'));
    const inBrowser = (file: string) => file.startsWith('tests/e2e/');
    return {
      fast: all.filter((file) => !inBrowser(file)),
      slow: browser ? all.filter(inBrowser) : [],
    };
  }

  /** True when it ended well. What is expected to fail says nothing. */
  function run(tool: string, args: readonly string[], loud = false): boolean {
    const { status } = spawnSync(process.execPath, [join(root, tool), ...args], {
      cwd: root,
      env: { ...process.env, ...(browser && { BACKCHANNEL_BROWSER: browser }) },
      stdio: loud ? 'inherit' : 'ignore',
    });
    return status === 0;
  }

  function fastPass(files: readonly string[], rules: readonly string[], loud = false): boolean {
    const projects = ['unit', 'web', 'integration'].flatMap((name) => ['--project', name]);
    const chosen = ['-t', titles(rules), '--bail', '1', '--testTimeout', '30000'];
    return run('node_modules/vitest/vitest.mjs', ['run', ...projects, ...chosen, ...files], loud);
  }

  function slowPass(files: readonly string[], rules: readonly string[], loud = false): boolean {
    const chosen = ['-g', titles(rules), '-x', '--reporter=line'];
    const config = ['-c', impatientConfig];
    const cli = 'node_modules/@playwright/test/cli.js';
    return run(cli, ['test', ...config, ...chosen, ...files], loud);
  }

  return {
    whatFails(rule, changedFile) {
      const { fast, slow } = filesOf([rule]);
      const apart = changedFile.startsWith('src/web/') ? /^src\/web\// : /^(src\/(?!web)|tests\/)/;
      const near = changedFile.startsWith('src/contract/')
        ? fast
        : fast.filter((f) => apart.test(f));
      if (near.length > 0 && !fastPass(near, [rule])) return 'vitest';
      if (slow.length === 0) return null;
      if (!run('scripts/build-web.ts', [])) return 'the build';
      return slowPass(slow, [rule]) ? null : 'the browser';
    },
    failsUnchanged(rules) {
      const { fast, slow } = filesOf(rules);
      const fastFails = fast.length > 0 && !fastPass(fast, rules, true);
      const slowFails = slow.length > 0 && !slowPass(slow, rules, true);
      return [...(fastFails ? ['vitest'] : []), ...(slowFails ? ['the browser'] : [])];
    },
  };
}

/** Titles that end with a list of ids in which one of these is. */
function titles(rules: readonly string[]): string {
  return `\\[[^\\]]*\\b(${rules.join('|')})\\b[^\\]]*\\]$`;
}
