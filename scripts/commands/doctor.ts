// `npm run doctor` checks the settings, this machine, the services and the access from outside, and says what to do.
import { isMailable, parseTypedEmail } from '#contract/email-address.ts';
import type { Config } from '#server/config/config-types.ts';
import { toStartupFailure, StartupError } from '#server/base/startup-failure.ts';
import { parseArguments, type CommandCall } from './command-call.ts';
import { type Finding, runCheck } from './doctor/finding.ts';
import {
  checkBackups,
  checkDatabase,
  checkDataFolder,
  checkDisk,
  checkMail,
  checkOperators,
  checkPictures,
  checkRecords,
  checkSandbox,
  checkServerKey,
  checkSettings,
  checkTerms,
  checkUploads,
} from './doctor/machine-checks.ts';
import { checkSignOn } from './doctor/sign-on-check.ts';
import { checkOutside } from './doctor/outside-checks.ts';
import { checkRedis } from './doctor/redis-check.ts';

const marks = { ok: '✓', warning: '!', problem: '✗' };

/** @returns 1 if there is a problem, 2 if nothing could be checked */
export async function runDoctor(call: CommandCall): Promise<number> {
  const { out, err } = call;
  try {
    const { mail, json } = parseOptions(call.args);
    const findings: Required<Finding>[] = [];
    for (const [part, check] of Object.entries(
      createChecks(call.loadConfig(), call.envFile, mail),
    )) {
      const partFindings = await runCheck(part, check);
      findings.push(...partFindings);
      if (!json) out.write(partFindings.map(toLine).join(''));
    }
    if (json) out.write(`${JSON.stringify(findings, null, 2)}\n`);
    return findings.some(({ state }) => state === 'problem') ? 1 : 0;
  } catch (error) {
    err.write(`${toStartupFailure(error, 'check')}\n`);
    return 2;
  }
}

function parseOptions(args: readonly string[]): { mail: string | null; json: boolean } {
  const usage = 'use npm run doctor -- [--mail you@university.edu] [--json].';
  const options = {
    mail: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArguments(args, options, usage);
  const { json } = values;
  const mail = values.mail === undefined ? null : parseTypedEmail(values.mail);
  if (positionals.length > 0 || (mail !== null && !isMailable(mail))) throw new StartupError(usage);
  return { mail, json };
}

function createChecks(config: Config, envFile: string | null, mail: string | null) {
  return {
    settings: () => checkSettings(config),
    'data folder': () => checkDataFolder(config, envFile),
    disk: () => checkDisk(config),
    database: () => checkDatabase(config),
    'server key': () => checkServerKey(config),
    backups: () => checkBackups(config),
    records: () => checkRecords(config),
    operators: () => checkOperators(config),
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

function toLine({ part, state, text }: Required<Finding>): string {
  return `${marks[state]} ${part.padEnd(11)} ${text}\n`;
}
