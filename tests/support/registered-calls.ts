// Which calls the server registers, where, whether they need a session, and what limits them. Read from the source.
import { globSync, readFileSync } from 'node:fs';
import type { RouteName } from '#contract/routes.ts';
import type { RateName } from '#server/base/rates.ts';

export interface RegisteredCall {
  name: RouteName;
  access: 'public' | 'signedIn';
  /** The rate limit of this call, in addition to those of all calls. */
  rate: RateName | undefined;
  file: string;
}

/** Such as `route('me', 'public'` and `route('signUp', { access: 'public', rate: 'signUps' }`. */
const registration =
  /\broute\(\s*'(\w+)',\s*(?:\{\s*access: )?'(public|signedIn)'(?:,\s*rate: '(\w+)')?/g;

export function listRegisteredCalls(): RegisteredCall[] {
  const files = globSync('src/server/**/*.ts', { exclude: ['**/*.test.ts'] });
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(registration)].map(
      ([, name, access, rate]) => ({ name, access, rate, file }) as RegisteredCall,
    ),
  );
}
