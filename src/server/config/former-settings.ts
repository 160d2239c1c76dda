// Settings of version 0.3.0 that no longer exist. The server starts with them, and says what to write instead.
import type { RateName } from '#server/base/rates.ts';
import { rateNames } from './rate-settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Each limit was a setting: `newClasses` was LIMIT_NEW_CLASSES. */
const formerLimits: ReadonlyMap<string, RateName> = new Map(
  rateNames.map((name) => [
    `LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    name,
  ]),
);

/** What applies without the setting. */
const removedSettings: Readonly<Record<string, string>> = {
  SEARCH: 'the ALGOLIA settings alone turn Algolia on',
  EMAIL_TAGS: 'ada+notes@ is the account of ada@',
  EMAIL_DOTS: 'a.da@ and ada@ are two accounts',
  BACKUP_AT: 'the backup begins at 03:30, and npm run backup makes one at any time',
};

export const formerNames: readonly string[] = [
  ...formerLimits.keys(),
  ...Object.keys(removedSettings),
];

/** @returns the settings of this version, and what the operator should change, one sentence each */
export function replaceFormerSettings(givenEnvironment: Environment): {
  environment: Environment;
  warnings: string[];
} {
  let environment = givenEnvironment;
  const warnings: string[] = [];
  const names = [...formerLimits.keys()].filter((name) => environment[name]?.trim());
  if (names.length > 0) {
    // Later entries win. The former ones stay in force, so that no limit is wider after an upgrade.
    const entries = names.map((name) => `${formerLimits.get(name)}=${environment[name]?.trim()}`);
    const limits = [...entries, environment['LIMITS']?.trim() || []].flat().join(', ');
    environment = { ...environment, LIMITS: limits };
    warnings.push(
      `Replace ${names.join(', ')} by LIMITS=${limits}. Until then, the former names still apply.`,
    );
  }
  for (const [name, meaning] of Object.entries(removedSettings)) {
    if (environment[name]?.trim()) {
      warnings.push(`${name} is no longer a setting: ${meaning}. Remove it.`);
    }
  }
  return { environment, warnings };
}
