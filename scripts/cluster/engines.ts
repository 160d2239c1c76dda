// The programs of the system's packages that several nodes need.
import { findPostgres } from '../start-postgres.ts';
import { findRedis } from '../start-redis.ts';
import { findCommand, installPackage, mayInstallPackages } from '../system-commands.ts';

const engines = {
  PostgreSQL: { find: findPostgres, debian: 'postgresql' },
  Redis: { find: findRedis, debian: 'redis-server' },
  Caddy: { find: () => findCommand('caddy'), debian: 'caddy' },
};
type Engine = keyof typeof engines;

/**
 * Finds the paths of the programs.
 *
 * @returns a sentence that says what to install if a program is missing
 */
export function findEngines<Name extends Engine>(
  names: readonly Name[],
): { found: Record<Name, string> } | { missing: string } {
  const paths = names.map((name) => [name, engines[name].find()] as const);
  const missing = names.filter((name) => !engines[name].find());
  if (missing.length === 0) return { found: Object.fromEntries(paths) as Record<Name, string> };
  const packages = missing.map((name) => engines[name].debian).join(' ');
  return { missing: `Not found: ${missing.join(', ')}. On Debian: apt install ${packages}` };
}

/** Installs the programs that are missing, if this is allowed on the machine. */
export function installEngines(names: readonly Engine[]): void {
  if (!mayInstallPackages()) return;
  for (const name of names) {
    if (engines[name].find()) continue;
    console.log(`No ${name} found: installing Debian's.`);
    installPackage(engines[name].debian);
  }
}
