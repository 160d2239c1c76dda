import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../run-tool.ts';
import type { Change } from './find-changes.ts';

export interface ScratchCopy {
  readonly root: string;
  /** Runs it with the change made, and takes the change back. */
  withChange<Result>(change: Change, run: () => Result): Result;
  remove(): void;
}

/** A browser test that fails by waiting need not wait as long as one on a loaded machine. */
const impatient = `import config from './playwright.config.ts';
export default {
  ...config,
  timeout: 60_000,
  expect: { timeout: 6_000 },
  use: { ...config.use, actionTimeout: 8_000 },
};
`;
export const impatientConfig = 'impatient.config.ts';

/** The project as it stands in the working folder, with the same packages, to be broken. */
export function copyProject(): ScratchCopy {
  const root = mkdtempSync(join(tmpdir(), 'backchannel-rules-'));
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  for (const file of stdout.split('\0').filter(Boolean)) {
    cpSync(join(projectRoot, file), join(root, file), { force: true });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, impatientConfig), impatient);
  return {
    root,
    withChange({ file, start, end, becomes }, run) {
      const path = join(root, file);
      const code = readFileSync(path, 'utf8');
      writeFileSync(path, code.slice(0, start) + becomes + code.slice(end));
      try {
        return run();
      } finally {
        writeFileSync(path, code);
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
