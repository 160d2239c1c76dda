// What `npm run doctor` checks on this machine and at the services that the server uses.
import { randomUUID } from 'node:crypto';
import { constants, existsSync, statSync } from 'node:fs';
import { access, readdir, statfs } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { sql } from 'kysely';
import { isPublic } from '#server/config/config.ts';
import type { Config } from '#server/config/config-types.ts';
import { getToday } from '#server/base/days.ts';
import { listClassesToEnd } from '#server/features/class-admin/terms.ts';
import { findFileSandbox, sandboxHint } from '#server/pictures/file-sandbox.ts';
import { openImageStore } from '#server/pictures/open-image-store.ts';
import { createUploadSpace, uploadProblems } from '#server/pictures/upload-space.ts';
import { createLog } from '#server/base/log.ts';
import { describeMailProblem } from '#server/mail/mail-problem.ts';
import { openMailTransport } from '#server/mail/mail-transport.ts';
import { maxClockErrorMs } from '#server/features/health/clock-check.ts';
import { lowFreeBytes } from '#server/features/health/sizes.ts';
import { formatTerm } from '#server/config/term.ts';
import { computeKeyCheck, findKeyProblem, loadServerKeys } from '#server/base/server-keys.ts';
import { getErrorCode, toFailureReason } from '#server/base/startup-failure.ts';
import { checkOwnSession } from '#server/store/dialects/postgres-pooler.ts';
import { findPostgresProblems } from '#server/store/dialects/postgres-settings.ts';
import { countDamagedRecords } from '#server/features/health/damaged-records.ts';
import { hasConfirmedKeyCopy, missingKeyCopy } from '#server/features/health/key-copy.ts';
import {
  findBackupProblem,
  findNewestBackup,
  isBackupIntact,
  readKeyCheck,
} from '#server/features/backups/newest-backup.ts';
import { listOperators } from '#server/chat/staff/roles.ts';
import { loadCommandKeys } from '#server/commands/command-keys.ts';
import { toMissingDatabaseAdvice, findRemains } from '#server/features/backups/missing-database.ts';
import { openForCommand } from '#server/store/open-database.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import type { Database } from '#server/store/tables.ts';
import {
  type Finding,
  type Findings,
  createSuccess,
  createProblem,
  createWarning,
} from './finding.ts';

const silent = createLog({ write: () => {} });
const gigabyte = 1024 ** 3;

/** Finds settings that the server accepts but that are probably a mistake. */
export async function checkSettings(config: Config): Promise<Findings> {
  const findings: Finding[] = config.warnings.map(createWarning);
  const { publicUrl, listen, trustedProxies, mail } = config;
  if (isPublic(config)) {
    if (publicUrl.protocol === 'http:') {
      findings.push(
        createProblem(
          `PUBLIC_URL is ${publicUrl.origin}: put a proxy with TLS in front, and use https.`,
        ),
      );
    }
    if (mail.kind === 'folder') {
      findings.push(createWarning('SMTP_URL is not set: mails are files, and no one gets them.'));
    }
    if (config.emailVerification === 'off') {
      findings.push(
        createProblem(
          'EMAIL_VERIFICATION is off: anyone can sign up with an address of someone else.',
        ),
      );
    }
    if (config.limits.factor === null) {
      findings.push(
        createProblem(
          'LIMIT_FACTOR is off: passwords can be guessed without a limit. Remove it, or use a number.',
        ),
      );
    }
    if (publicUrl.protocol === 'https:' && trustedProxies === 0) {
      findings.push(
        createProblem(
          'TRUSTED_PROXIES is 0, but a proxy must be in front for https: set it to 1, or all students share one rate limit.',
        ),
      );
    }
    if (trustedProxies > 0 && !/^(127\.|localhost$|::1$)/.test(listen.host)) {
      findings.push(
        createWarning(
          `HOST is ${listen.host}: only your proxy may reach port ${listen.port}, or clients can forge their address.`,
        ),
      );
    }
  }
  return findings.length > 0
    ? findings
    : createSuccess(`The data is in ${config.dataDir}, the app at ${publicUrl.origin}.`);
}

export async function checkDataFolder(
  { dataDir, keyDir }: Config,
  envFile: string | null,
): Promise<Findings> {
  if (!existsSync(dataDir)) {
    return createWarning(`${dataDir} does not exist yet: the first start creates it.`);
  }
  await access(dataDir, constants.R_OK | constants.W_OK).catch(() => {
    throw new Error(
      `This user cannot write to ${dataDir}: run the doctor and the server as the same user.`,
    );
  });
  const problems: Finding[] = [];
  for (const dir of new Set([dataDir, keyDir])) {
    const openFiles = existsSync(dir) ? await listOpenFiles(dir) : [];
    if (openFiles.length === 0) continue;
    const text = `Other users of this machine can read or change ${formatFiles(openFiles)}: chmod -R go= ${dir}.`;
    problems.push(createProblem(text));
  }
  // The file with the settings may belong to root, and to the group of the user who runs the server.
  if (envFile !== null && existsSync(envFile) && isOpen(envFile, 0o007)) {
    const text = `Other users of this machine can read ${envFile}: chmod o= ${envFile}.`;
    problems.push(createProblem(text));
  }
  if (problems.length > 0) return problems;
  return createSuccess(`${dataDir} can be written, and only this user can read its files.`);
}

const formatFiles = ([firstFile = '', ...otherFiles]: readonly string[]) =>
  otherFiles.length === 0 ? firstFile : `${firstFile} and ${otherFiles.length} other files`;

/** The files in the folder that its owner's group or others may read or write. */
async function listOpenFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => isOpen(file, 0o066));
}

/** The server may have deleted the file. */
const isOpen = (file: string, mask: number) =>
  ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & mask) !== 0;

export async function checkDisk({ dataDir }: Config): Promise<Findings> {
  const { bavail, bsize } = await statfs(existsSync(dataDir) ? dataDir : '.');
  const free = bavail * bsize;
  const text = `${(free / gigabyte).toFixed(1)} GB are free.`;
  if (free < gigabyte / 10) {
    return createProblem(`${text} Free some, or nothing can be saved soon.`);
  }
  return free < lowFreeBytes ? createWarning(`${text} Plan for more.`) : createSuccess(text);
}

/** Lists the terms of TERM_ENDS with their last day, and how many classes would end with each term as of today. */
export async function checkTerms(config: Config): Promise<Findings> {
  const { termEnds } = config;
  return withDatabase(config, async (db) => {
    const findings: Finding[] = [];
    for (const term of termEnds.terms) {
      const { length: count } = await listClassesToEnd(db, term, termEnds.timeZone);
      const classes = count === 1 ? '1 class' : `${count} classes`;
      findings.push(createSuccess(`${formatTerm(term)}: ${classes} end after this day.`));
    }
    if (termEnds.terms.every(({ lastDay }) => lastDay < getToday())) {
      findings.push(
        createWarning('TERM_ENDS has only dates that are over: add the end of the next term.'),
      );
    }
    return findings;
  });
}

export async function checkDatabase(config: Config): Promise<Findings> {
  const { database } = config;
  if (isMissing(database)) {
    if (findRemains(config) !== null) {
      return createProblem(toMissingDatabaseAdvice(config));
    }
    return createWarning('There is none yet: the first start creates it.');
  }
  if (database.kind === 'postgres') await checkOwnSession(database.url);
  return withDatabase(config, async (db) => {
    const keyProblem = await findStoredKeyProblem(db, config);
    if (keyProblem !== null) return createProblem(keyProblem);
    if (database.kind === 'sqlite') {
      const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
      if (rows[0]?.quick_check === 'ok') {
        return createSuccess('SQLite finds no damage.');
      }
      return createProblem('SQLite finds damage: stop the server, and restore a backup.');
    }
    const { rows } = await sql<{ version: string; now: Date }>`
      select current_setting('server_version') as version, clock_timestamp() as now
    `.execute(db);
    const [{ version, now } = { version: '', now: new Date() }] = rows;
    const problems = await findPostgresProblems((text) => sql.raw(text).execute(db));
    return [
      createSuccess(`PostgreSQL ${version} answers.`),
      ...problems.map((text) => createProblem(text)),
      diagnoseClock('PostgreSQL', now),
    ].flat();
  });
}

/** Checks that a copy of the server key exists, and that no backup of a folder contains both key and data. */
export async function checkServerKey(config: Config): Promise<Finding[]> {
  const { secretKey, secretKeyFile, keyDir, dataDir, backups } = config;
  const place = secretKey === null ? keyDir : secretKeyFile;
  const backedUpDir = [dataDir, backups?.dir].find(
    (dir) => dir && `${place}${sep}`.startsWith(`${dir}${sep}`),
  );
  const advice =
    secretKey === null
      ? 'Set KEY_DIR to a folder that is not backed up with it: the server moves the key there.'
      : `Move ${secretKeyFile} to a folder that is not backed up with it.`;
  const findings =
    backedUpDir && isPublic(config)
      ? createWarning(
          `The server key is in ${backedUpDir}, so a copy of this folder names everyone. ${advice}`,
        )
      : [];
  return [findings, await checkKeyCopy(config)].flat();
}

async function checkKeyCopy(config: Config): Promise<Findings> {
  return withDatabase(config, async (db) =>
    (await hasConfirmedKeyCopy(db))
      ? createSuccess('A copy of it was confirmed.')
      : createWarning(missingKeyCopy),
  );
}

const backupProblems = {
  off: createWarning(
    'BACKUP_DIR is not set: the server makes no daily backups. Set it to a folder outside the data folder, if nothing else makes them.',
  ),
  missing: createWarning(
    'BACKUP_DIR has none yet, or cannot be read: the running server makes one each day.',
  ),
  old: createProblem(
    'The newest one is older than a day: see backup.failed in the log of the server.',
  ),
  unreadable: createProblem(
    'The newest one cannot be opened or is damaged: remove it, and the running server makes it again.',
  ),
};

/** Opens the newest daily backup. */
export async function checkBackups({ backups, secretKey, keyDir }: Config): Promise<Findings> {
  const newest = backups && findNewestBackup(backups);
  const problem = findBackupProblem(backups);
  if (problem !== null || newest === null) return backupProblems[problem ?? 'missing'];
  if (!isBackupIntact(newest.file)) return backupProblems.unreadable;
  const storedCheck = readKeyCheck(newest.file);
  if (storedCheck !== null && storedCheck !== computeKeyCheck(loadServerKeys(secretKey, keyDir))) {
    return createWarning(
      `${newest.file} needs another key than that of the server: keep the earlier key, such as server.key.old, until the next daily backup.`,
    );
  }
  return createSuccess(`${newest.file} is whole, and can be opened with the server key.`);
}

/** Checks whether someone can act, and whom members ask. */
export async function checkOperators(config: Config): Promise<Findings> {
  const findings = await withDatabase(config, async (db) => {
    if ((await findStoredKeyProblem(db, config)) !== null) return [];
    const { length: count } = await listOperators({ db, site: loadCommandKeys(config).site });
    if (count >= 2) return createSuccess(`There are ${count}.`);
    return createWarning(
      `There ${count === 1 ? 'is 1' : 'is none'}: only a second one can confirm an unmasking, or act when the first is away. Use OPERATORS or npm run admin -- grant-operator.`,
    );
  });
  if (config.supportContact !== null) return findings;
  const noContact = createWarning(
    'SUPPORT_CONTACT is not set: who cannot sign in finds no one to ask.',
  );
  return [findings, noContact].flat();
}

/** Opens everything that the server key encrypts. Another check reports a missing database or a wrong key. */
export async function checkRecords(config: Config): Promise<Findings> {
  const { secretKey, keyDir, domainAliases } = config;
  return withDatabase(config, async (db) => {
    if ((await findStoredKeyProblem(db, config)) !== null) return [];
    const keys = loadServerKeys(secretKey, keyDir);
    const counts = await countDamagedRecords(db, keys, domainAliases);
    if (Object.values(counts).every((count) => count === 0)) {
      return createSuccess('Every account, session and register can be opened.');
    }
    const list = `${counts.accounts} accounts, ${counts.sessions} sessions and ${counts.registers} registers of classes`;
    return createProblem(
      `${list} are damaged: the server key does not open them. Restore the newest backup without this problem (docs/backup.md).`,
    );
  });
}

/** @returns nothing if there is no database yet, which `checkDatabase` reports */
async function withDatabase(
  { database }: Config,
  check: (db: Database) => Promise<Findings>,
): Promise<Findings> {
  if (isMissing(database)) return [];
  await using db = await openForCommand(database, silent);
  return await check(db);
}

const isMissing = (database: Config['database']) =>
  database.kind === 'sqlite' && !existsSync(database.file);

async function findStoredKeyProblem(
  db: Database,
  { secretKey, keyDir }: Config,
): Promise<string | null> {
  const storedCheck = await findMetadata(db, 'keyCheck');
  if (storedCheck === null) return null;
  return findKeyProblem(storedCheck, computeKeyCheck(loadServerKeys(secretKey, keyDir)));
}

/** Stores a file, reads it and deletes it. */
export async function checkPictures({ images, dataDir }: Config): Promise<Findings> {
  if (images.kind === 'disk' && !existsSync(dataDir)) {
    return createWarning('There is no folder yet: the first start creates it.');
  }
  const store = await openImageStore(images, silent);
  const place = images.kind === 's3' ? `The bucket ${images.bucket}` : images.dir;
  const name = `doctor-${randomUUID()}.webp`;
  try {
    await store.put(name, new Uint8Array([1]));
    const storedFile = await store.open(name);
    await storedFile?.content.cancel();
    if (storedFile?.bytes !== 1) {
      return createProblem(`${place} took a file and did not have it afterwards.`);
    }
  } catch (error) {
    const code = getErrorCode(error);
    throw new Error(
      `${place} cannot be used: ${toFailureReason(error)} ${code && `(${code})`}`.trim(),
      {
        cause: error,
      },
    );
  } finally {
    await store.delete(name).catch(() => {});
  }
  const remainingFile = await store.open(name);
  await remainingFile?.content.cancel();
  if (remainingFile) return createProblem(`${place} did not delete a file.`);
  return createSuccess(`${place} stores, returns and deletes files.`);
}

/** Checks whether the server accepts uploads. Other checks report a missing database or folder. */
export async function checkUploads(config: Config): Promise<Findings> {
  const { images } = config;
  if (images.kind === 'disk' && !existsSync(images.dir)) return [];
  return withDatabase(config, async (db) => {
    const fullPlace = await createUploadSpace(db, config, silent).findFullPlace();
    return fullPlace === null ? [] : createProblem(uploadProblems[fullPlace]);
  });
}

/** Tries the sandboxes as the server does at its start. */
export async function checkSandbox(): Promise<Findings> {
  const { kind } = await findFileSandbox();
  if (kind === 'none') return createWarning(sandboxHint);
  return createSuccess(sandboxTexts[kind]);
}

const sandboxTexts = {
  bubblewrap: 'Pictures and PDFs are decoded in bubblewrap.',
  landlock:
    'Pictures and PDFs are decoded in Landlock. Decoders can use the network, which bubblewrap would prevent.',
};

/** Signs in to the mail server, and sends a mail if there is an address. */
export async function checkMail(config: Config, address: string | null): Promise<Findings> {
  if (config.mail.kind === 'folder') {
    return createWarning(`Mails are files in ${config.mail.dir}: set SMTP_URL to send them.`);
  }
  const transport = openMailTransport(config, silent);
  try {
    if (address === null) {
      await transport.check();
      return createSuccess(
        'The mail server takes our sign-in. With --mail you@university.edu one is sent.',
      );
    }
    const text = `If you can read this, ${config.appName} can send mail.\n`;
    await transport.send({ to: address, subject: `A test of ${config.appName}`, text });
    return createSuccess(
      `The mail server took a mail to ${address}. Look whether it arrives, and in the spam folder.`,
    );
  } catch (error) {
    return createProblem(describeMailProblem(error));
  } finally {
    transport.stop();
  }
}

/**
 * Compares this machine's clock with another one.
 *
 * @param now the time of the other clock
 */
export function diagnoseClock(clockName: string, now: Date): Findings {
  const seconds = Math.round((Date.now() - now.getTime()) / 1000);
  if (!(Math.abs(seconds) * 1000 > maxClockErrorMs)) return [];
  const side = seconds > 0 ? 'ahead of' : 'behind';
  const problem = createProblem(
    `This machine's clock is ${Math.abs(seconds)} seconds ${side} that of ${clockName}: turn on time synchronization (timedatectl set-ntp true).`,
  );
  return { ...problem, part: 'clock' };
}
