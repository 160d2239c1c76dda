// The overview of /admin. As on /metrics, its numbers are renewed at fixed intervals and in coarse steps, so that they hide the
// actions of a single person.
import { setTimeout as sleep } from 'node:timers/promises';
import { serverParts, type Overview, type ServerPart } from '#contract/health.ts';
import { overviewSteps } from '#contract/limits.ts';
import type { Config } from '#server/config/config-types.ts';
import { uploadProblems } from '#server/pictures/upload-space.ts';
import type { Server } from '#server/feature.ts';
import { toMailProblem } from '#server/mail/mail-problem.ts';
import { createNoisyGauge, renewalMs } from '#server/base/noisy-gauge.ts';
import type { Database } from '#server/store/tables.ts';
import { version } from '#server/base/version.ts';
import { sumPictureBytes } from '#server/chat/attachments/attachment-queries.ts';
import { createDailyCounts } from './daily-counts.ts';
import { hasConfirmedKeyCopy, missingKeyCopy } from './key-copy.ts';
import { getDatabaseBytes } from './daily-counts-queries.ts';
import { lowFreeBytes, measureFreeSpace } from './sizes.ts';
import type { Warnings } from './warnings.ts';

export type OverviewServer = Pick<
  Server,
  | 'config'
  | 'db'
  | 'commits'
  | 'accountCommits'
  | 'keys'
  | 'accountRecords'
  | 'metrics'
  | 'transport'
  | 'mails'
  | 'imageStore'
  | 'uploadSpace'
  | 'log'
>;

export interface OverviewReader {
  read(): Promise<Overview>;
  /** Stops the renewals, and waits for the queries in progress. */
  stop(): Promise<void>;
}

type PartHealth = Omit<Overview['parts'][number], 'part'>;

/** Mail servers and S3 are checked only in each tenth renewal. */
const renewalsPerRemoteCheck = 10;
const checkTimeoutMs = 10_000;
const gibibyte = 1024 ** 3;
/** No picture has this name. */
const noImage = 'none';

/**
 * @param getBackupAgeHours the age of the newest daily backup: Infinity if there is no backup, null if daily backups are off
 * @param countSearchWrites counts the changes that wait for the hosted search
 */
export function createOverview(
  server: OverviewServer,
  warnings: Warnings,
  getBackupAgeHours: () => number | null,
  countSearchWrites: () => Promise<number>,
): OverviewReader {
  const { config, db, metrics, transport } = server;
  const dailyCounts = createDailyCounts(db, server.accountRecords, server.keys.dailyCounts);
  const firstMailCheck = transport.check();
  firstMailCheck.catch((error: unknown) => {
    server.log.warn('mail.unreachable', toMailProblem(error));
  });
  const health = new Map<ServerPart, PartHealth>();
  const bytes = {
    database: createCoarseSize(() => getDatabaseBytes(db, config.database.kind)),
    pictures: createCoarseSize(() => sumPictureBytes(db)),
    free: createCoarseSize(() => measureFreeSpace(config.dataDir)),
  };
  let renewals = 0;
  let currentRenewal: Promise<unknown> = Promise.resolve();
  let currentRemoteChecks: Promise<unknown> = Promise.resolve();

  function renew(): void {
    warnings.renew();
    currentRenewal = Promise.all([
      bytes.free.renew().then(() => health.set('disk', toDiskHealth(bytes.free.now()))),
      bytes.database.renew(),
      getDatabaseHealth(server).then((partHealth) => health.set('database', partHealth)),
      getSearchHealth(config, countSearchWrites).then((partHealth) =>
        health.set('search', partHealth),
      ),
      getKeyHealth(db).then((partHealth) => health.set('server key', partHealth)),
    ]);
    health.set('backups', toBackupHealth(getBackupAgeHours()));
    if (renewals % renewalsPerRemoteCheck === 0) {
      currentRenewal = Promise.all([currentRenewal, bytes.pictures.renew()]);
      const mailCheck = renewals === 0 ? firstMailCheck : transport.check();
      currentRemoteChecks = Promise.all([
        getMailHealth(server, mailCheck).then((partHealth) => health.set('mail', partHealth)),
        getPictureHealth(server).then((partHealth) => health.set('pictures', partHealth)),
      ]);
    }
    renewals += 1;
  }

  renew();
  const timer = setInterval(renew, renewalMs).unref();

  return {
    async read() {
      // Only the first renewal has nothing to show yet.
      if (health.size < serverParts.length) {
        await Promise.all([currentRenewal, currentRemoteChecks]);
      }
      return {
        version,
        parts: serverParts.flatMap((part) => {
          const partHealth = health.get(part);
          return partHealth ? [{ part, ...partHealth }] : [];
        }),
        sizes: {
          database: bytes.database.now(),
          pictures: bytes.pictures.now(),
          free: bytes.free.now(),
        },
        sockets: metrics.openSockets(),
        daily: await dailyCounts.read(),
        warnings: warnings.list(),
      };
    },
    async stop() {
      clearInterval(timer);
      await currentRenewal;
    },
  };
}

/** Creates a number of bytes in steps so coarse that a single upload does not show. */
function createCoarseSize(read: () => Promise<number>) {
  const coarse = createNoisyGauge(overviewSteps.bytes);
  let now: number | null = null;
  return {
    now: () => now,
    async renew() {
      try {
        now = coarse.renew(await read());
      } catch {
        now = null;
      }
    },
  };
}

const reportGood = (explanation: string): PartHealth => ({ health: 'good', explanation });
const reportWarning = (explanation: string): PartHealth => ({ health: 'warning', explanation });
const reportFailed = (explanation: string): PartHealth => ({ health: 'failed', explanation });

/** @param free the free bytes in coarse steps, so that a single upload near the threshold does not show */
function toDiskHealth(free: number | null): PartHealth {
  if (free === null) return reportFailed('The data folder cannot be read.');
  if (free < gibibyte / 4) return reportFailed('The disk is full, or will be soon.');
  return free < lowFreeBytes
    ? reportWarning('Little space is left.')
    : reportGood('There is enough space.');
}

/** Unlike /readyz, this writes nothing, because the commits of members show whether saving works. */
async function getDatabaseHealth({
  db,
  commits,
  accountCommits,
}: OverviewServer): Promise<PartHealth> {
  const query = db.selectFrom('serverMetadata').select('name').limit(1);
  if (!(await waitForSuccess(query.execute()))) {
    return reportFailed('It does not answer. Look at the log.');
  }
  const isSavingFailed = [commits, accountCommits].some((queue) => queue.health().isFailing);
  return isSavingFailed
    ? reportFailed('It cannot save. Look at the log.')
    : reportGood('It answers.');
}

async function getMailHealth(
  { config, mails }: OverviewServer,
  check: Promise<void>,
): Promise<PartHealth> {
  const isUsable = await waitForSuccess(check);
  mails.noteCheck(isUsable);
  if (config.mail.kind === 'folder') {
    return reportWarning('SMTP_URL is not set, so mails are files on the server.');
  }
  return isUsable
    ? reportGood('The mail server answers.')
    : reportFailed('The mail server cannot be used. Run npm run doctor.');
}

async function getPictureHealth({
  config,
  imageStore,
  uploadSpace,
}: OverviewServer): Promise<PartHealth> {
  const isReadable = await waitForSuccess(
    imageStore.open(noImage).then((openedImage) => openedImage?.content.cancel()),
  );
  if (!isReadable) return reportFailed('The pictures cannot be read. Run npm run doctor.');
  const fullPlace = await uploadSpace.findFullPlace().catch(() => null);
  if (fullPlace !== null) return reportWarning(uploadProblems[fullPlace]);
  return reportGood(config.images.kind === 's3' ? 'S3 answers.' : 'They are on the disk.');
}

async function getSearchHealth(
  config: Config,
  countSearchWrites: () => Promise<number>,
): Promise<PartHealth> {
  if (config.search.kind === 'builtin') return reportGood('It is built in.');
  const waiting = await countSearchWrites().catch(() => Infinity);
  return waiting < 1000
    ? reportGood('Algolia gets changes.')
    : reportWarning('Many changes wait for Algolia. Look at the log.');
}

async function getKeyHealth(db: Database): Promise<PartHealth> {
  const isConfirmed = await hasConfirmedKeyCopy(db).catch(() => false);
  return isConfirmed ? reportGood('A copy of it was confirmed.') : reportWarning(missingKeyCopy);
}

function toBackupHealth(ageHours: number | null): PartHealth {
  if (ageHours === null) {
    return reportWarning('BACKUP_DIR is not set, so there are no daily backups.');
  }
  if (ageHours === Infinity) {
    return reportWarning('There is none yet. If none follows at 03:30, look at the log.');
  }
  // The limit is above a day, because a backup takes time.
  if (ageHours > 36) return reportFailed('The newest one is older than a day. Look at the log.');
  return reportGood('The newest one is of the last day.');
}

async function waitForSuccess(check: Promise<unknown>): Promise<boolean> {
  const outcome = check.then(
    () => true,
    () => false,
  );
  return Promise.race([outcome, sleep(checkTimeoutMs, false, { ref: false })]);
}
