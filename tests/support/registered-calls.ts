// Which calls the server registers, where, and whether they need a session. Read from the source.
import { globSync, readFileSync } from 'node:fs';
import type { RouteName } from '#contract/routes.ts';

export interface RegisteredCall {
  name: RouteName;
  access: 'public' | 'signedIn';
  file: string;
}

export function listRegisteredCalls(): RegisteredCall[] {
  const files = globSync('src/server/**/*.ts', { exclude: ['**/*.test.ts'] });
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\broute\(\s*'(\w+)',\s*'(public|signedIn)'/g)].map(
      ([, name, access]) => ({ name, access, file }) as RegisteredCall,
    ),
  );
}
