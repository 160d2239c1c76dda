// Carries out deploy/Dockerfile in folders, without containers: the same files, the same commands, but this machine's
// system instead of the base images.
import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { projectRoot } from '../../scripts/run-tool.ts';

export interface Instruction {
  /** Such as `COPY`. */
  name: string;
  /** Such as `--from=build`. */
  flags: Readonly<Record<string, string>>;
  /** The rest of the line. */
  text: string;
}

export interface Image {
  /** The folder that stands for `/`. */
  root: string;
  /** The variables, with the folder's paths instead of the image's. */
  environment: Readonly<Record<string, string>>;
  workdir: string;
  user: { uid: number; gid: number };
  command: readonly string[];
  healthCheck: readonly string[];
}

export function loadDockerfile(): Instruction[] {
  const lines = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      const flags = [...rest.matchAll(/(?<=^|\s)--([\w-]+)=(\S+)\s+(?=.*)/g)];
      const ownFlags = name === 'RUN' ? [] : flags;
      const text = ownFlags.reduce((command, [flag]) => command.replace(flag, ''), rest).trim();
      return {
        name,
        flags: Object.fromEntries(ownFlags.map(([, key, value]) => [key, value])),
        text,
      };
    });
}

const ignoreRules = readFileSync(join(projectRoot, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ pattern: toRegExp(line.replace(/^!/, '')), isSent: line.startsWith('!') }));

/** Docker's `*` matches names that begin with a dot, too. */
function toRegExp(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+^$(){}|]/g, String.raw`\$&`);
  const body = escaped.replaceAll(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${body}$`);
}

/** Whether a builder gets the file: the last line of .dockerignore that matches it or a folder of it decides. */
export function isSent(file: string): boolean {
  const paths = file.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  const hasMatch = (pattern: RegExp) => paths.some((path) => pattern.test(path));
  return ignoreRules.findLast(({ pattern }) => hasMatch(pattern))?.isSent ?? true;
}

function listContext(): string[] {
  return readdirSync(projectRoot, { withFileTypes: true })
    .filter(({ name }) => !['node_modules', '.git', 'dist'].includes(name))
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(join(projectRoot, entry.name), { recursive: true, withFileTypes: true })
            .filter((file) => file.isFile())
            .map((file) => relative(projectRoot, join(file.parentPath, file.name)))
        : [entry.name],
    )
    .filter(isSent);
}

/** @param folder where the stages are made; the last one is returned */
export function carryOut(instructions: readonly Instruction[], folder: string): Image {
  const stages = new Map<string, string>();
  let root = '';
  let workdir = '/';
  let environment: Record<string, string> = {};
  let user = { uid: 0, gid: 0 };
  let command: string[] = [];
  let healthCheck: string[] = [];

  const place = (path: string) => join(root, resolve(workdir, path));

  function copy(text: string, { from, chown }: Instruction['flags']): void {
    const parts = text.split(/\s+/);
    const target = parts.pop() ?? '';
    for (const source of parts) {
      if (from !== undefined) {
        const stage = stages.get(from);
        if (stage === undefined) throw new Error(`There is no stage "${from}".`);
        cpSync(join(stage, source), place(target), { recursive: true, verbatimSymlinks: true });
      } else {
        const files = listContext().filter((file) => source === '.' || file === source);
        if (files.length === 0) throw new Error(`The context has no ${source}.`);
        for (const file of files) cpSync(join(projectRoot, file), join(place(target), file));
      }
    }
    const [uid, gid] = (chown ?? '').split(':').map(Number);
    if (uid && gid && process.getuid?.() === 0) chownSync(place(target), uid, gid);
  }

  function run(line: string): void {
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', line], {
      cwd: place('.'),
      env: createBuilderEnvironment(),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${line} ended with ${status}:\n${stdout}\n${stderr}`);
  }

  for (const { name, flags, text } of instructions) {
    switch (name) {
      case 'FROM': {
        const stage = / AS (\w+)$/.exec(text)?.[1] ?? 'last';
        // The Node.js of the base image.
        environment = { PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':') };
        [root, workdir] = [join(folder, stage), '/'];
        stages.set(stage, root);
        break;
      }
      case 'WORKDIR':
        workdir = text;
        mkdirSync(place('.'), { recursive: true });
        break;
      case 'COPY':
        copy(text, flags);
        break;
      case 'RUN':
        run(text);
        break;
      case 'ENV':
        for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) {
          // What the image has is in the folder, and what its system has is this machine's.
          const paths = value
            .split(':')
            .map((path) => (isIn(root, path) ? join(root, path) : path));
          environment[key] = paths.join(':');
        }
        break;
      case 'USER': {
        const [uid = 0, gid = 0] = text.split(':').map(Number);
        user = { uid, gid };
        break;
      }
      case 'CMD':
        command = JSON.parse(text) as string[];
        break;
      case 'HEALTHCHECK':
        healthCheck = JSON.parse(text.replace(/^CMD\s+/, '')) as string[];
        break;
      case 'ARG':
      case 'VOLUME':
      case 'EXPOSE':
        break;
      default:
        throw new Error(`This test does not know ${name}.`);
    }
  }
  return { root, environment, workdir: place('.'), user, command, healthCheck };
}

function isIn(root: string, path: string): boolean {
  return (
    path.startsWith('/') && (statSync(join(root, path), { throwIfNoEntry: false }) ?? null) !== null
  );
}

/** Nothing of the npm that runs this test, except where its registry is. */
function createBuilderEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(?!config_(registry|cafile)$)|NODE_(?!EXTRA)|VITE|VITEST|BACKCHANNEL_|CI$)/i.test(
        name,
      ),
  );
  const path = (process.env['PATH'] ?? '')
    .split(':')
    .filter((entry) => !entry.includes('node_modules'));
  return { ...Object.fromEntries(inherited), PATH: path.join(':') };
}
