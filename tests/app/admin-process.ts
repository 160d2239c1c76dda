// Runs `npm run admin` in its own process, as the operator does.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Done {
  code: number | null;
  out: string;
  /** The lines of its error output. */
  errors: string[];
}

export async function admin(
  settings: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Done> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const child = spawn(process.execPath, ['scripts/admin.ts', ...args], { cwd: root, env });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const parts: string[] = [];
    stream.setEncoding('utf8').on('data', (text: string) => parts.push(text));
    return parts;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const errors = (err ?? []).join('').split('\n').filter(Boolean);
  return { code, out: (out ?? []).join(''), errors };
}
