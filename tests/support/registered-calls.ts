// Which calls the server registers, and in which files. Read from the source.
import { globSync, readFileSync } from 'node:fs';
import type { RouteName } from '#contract/routes.ts';

/** Such as `route('me', `. */
const registration = /\broute\(\s*'(\w+)'/g;

export function listRegisteredCalls(): { name: RouteName; file: string }[] {
  const files = globSync('src/server/**/*.ts', { exclude: ['**/*.test.ts'] });
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(registration)].map(
      ([, name]) => ({ name, file }) as { name: RouteName; file: string },
    ),
  );
}
