// `npm run doctor` checks the settings, this machine, the services and the way in, and says what to do.
import { parseArgs } from 'node:util';
import { isMailable } from '#contract/email-address.ts';
import { readConfig } from '#server/config/config.ts';
import type { Config } from '#server/config/config-types.ts';
import { startupFailure, StartupError } from '#server/base/startup-failure.ts';
import { type Finding, runCheck } from './doctor/finding.ts';
import {
  checkDatabase,
  checkDataFolder,
  checkDisk,
  checkMail,
  checkPictures,
  checkSandbox,
  checkSettings,
  checkTerms,
  checkUploads,
} from './doctor/machine-checks.ts';
import { checkSignOn } from './doctor/sign-on-check.ts';
import { checkOutside } from './doctor/outside-checks.ts';
import { checkRedis } from './doctor/redis-check.ts';

const marks = { ok: '✓', warning: '!', problem: '✗' };

try {
  const { mail, json } = readArguments();
  const config = readConfig();
  const findings: Finding[] = [];
  for (const [part, check] of Object.entries(checksOf(config, mail))) {
    const found = await runCheck(part, check);
    findings.push(...found);
    if (!json) for (const finding of found) print(finding);
  }
  if (json) console.log(JSON.stringify(findings, null, 2));
  if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
} catch (error) {
  console.error(startupFailure(error, 'check'));
  process.exitCode = 2;
}

function readArguments(): { mail: string | null; json: boolean } {
  try {
    const { values } = parseArgs({
      options: { mail: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const { mail = null, json } = values;
    if (mail === null || isMailable(mail)) return { mail, json };
  } catch {
    // Answered below.
  }
  throw new StartupError('use npm run doctor -- [--mail you@university.edu] [--json].');
}

function checksOf(config: Config, mail: string | null) {
  return {
    settings: () => checkSettings(config),
    'data folder': () => checkDataFolder(config),
    disk: () => checkDisk(config),
    database: () => checkDatabase(config),
    redis: () => checkRedis(config),
    pictures: () => checkPictures(config),
    uploads: () => checkUploads(config),
    sandbox: checkSandbox,
    mail: () => checkMail(config, mail),
    ...(config.termEnds.terms.length > 0 && { terms: () => checkTerms(config) }),
    'sign-on': () => checkSignOn(config),
    proxy: () => checkOutside(config),
  };
}

function print({ part, state, text }: Finding): void {
  console.log(`${marks[state]} ${part.padEnd(11)} ${text}`);
}
