// The programs that tests and `npm run cluster` need, with Debian's packages of them.
import { findPostgres } from './start-postgres.ts';
import { findRedis } from './start-redis.ts';
import {
  findBrowser,
  findCommand,
  findFirefox,
  findHeadlessShell,
  findWebKitDriver,
  installPackage,
  mayInstallPackages,
} from './system-commands.ts';

interface Program {
  find(): string | undefined;
  packages: readonly string[];
}

/** A command that has the name of its package. */
const fromPackage = (name: string): Program => ({
  find: () => findCommand(name),
  packages: [name],
});

const programs = {
  PostgreSQL: { find: findPostgres, packages: ['postgresql'] },
  Redis: { find: findRedis, packages: ['redis-server'] },
  Caddy: fromPackage('caddy'),
  PgBouncer: fromPackage('pgbouncer'),
  Chromium: { find: findBrowser, packages: ['chromium'] },
  'headless shell': { find: findHeadlessShell, packages: ['chromium-headless-shell'] },
  Firefox: { find: findFirefox, packages: ['firefox-esr'] },
  WebKit: { find: findWebKitDriver, packages: ['webkit2gtk-driver', 'xvfb'] },
  Java: { find: () => findCommand('java'), packages: ['default-jre-headless'] },
  apache2: fromPackage('apache2'),
  buildah: fromPackage('buildah'),
  bubblewrap: { find: () => findCommand('bwrap'), packages: ['bubblewrap'] },
  debootstrap: fromPackage('debootstrap'),
  nginx: fromPackage('nginx'),
  openssl: fromPackage('openssl'),
  strace: fromPackage('strace'),
  'systemd-analyze': { find: () => findCommand('systemd-analyze'), packages: ['systemd'] },
  'systemd-nspawn': { find: () => findCommand('systemd-nspawn'), packages: ['systemd-container'] },
} satisfies Record<string, Program>;
export type ProgramName = keyof typeof programs;

/**
 * Finds the paths of the programs.
 *
 * @returns a sentence that says what to install if a program is missing
 */
export function findPrograms<Name extends ProgramName>(
  names: readonly Name[],
): { found: Record<Name, string> } | { missing: string } {
  const paths = names.map((name) => [name, programs[name].find()] as const);
  const missing = paths.filter(([, path]) => !path).map(([name]) => name);
  if (missing.length === 0) return { found: Object.fromEntries(paths) as Record<Name, string> };
  const packages = missing.flatMap((name) => programs[name].packages).join(' ');
  return { missing: `Not found: ${missing.join(', ')}. On Debian: apt install ${packages}` };
}

/** Installs the programs that are missing, if this is allowed on the machine, and finds them as `findPrograms`. */
export function installPrograms<Name extends ProgramName>(names: readonly Name[]) {
  for (const name of mayInstallPackages() ? names : []) {
    if (programs[name].find()) continue;
    console.log(`No ${name} found: installing Debian's.`);
    for (const debianPackage of programs[name].packages) installPackage(debianPackage);
  }
  return findPrograms(names);
}
