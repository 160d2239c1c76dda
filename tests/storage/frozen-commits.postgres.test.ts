// A server whose connections to PostgreSQL freeze in the middle of a commit, next to one that is well.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appendToLog, listLogEntries } from '#server/chat/messages/log-queries.ts';
import type { Change } from '#server/store/changes.ts';
import {
  startPostgresProxy,
  type CommitStage,
  type PostgresProxy,
} from '#tests/support/postgres-proxy.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

let well: OpenedStorage;
let proxy: PostgresProxy;
let frozen: OpenedStorage;
beforeEach(async () => {
  well = await openStorage();
  const { database } = well;
  proxy = await startPostgresProxy(database.settings.DATABASE_URL!);
  const settings = { ...database.settings, DATABASE_URL: proxy.url };
  frozen = await openStorage({ ...database, settings });
});
afterEach(async () => {
  proxy.thaw();
  await frozen.close();
  proxy.end();
  await well.close();
});

const append =
  (classId: string): Change<unknown> =>
  ({ db }) =>
    appendToLog(db, classId, 'deleted', 'x');

const stages: [string, CommitStage][] = [
  ['before it begins', 'begin'],
  ['when it has its locks', 'locked'],
  ['before it commits', 'commit'],
  ['before it learns that it has committed', 'committed'],
];

test.each(stages)(
  'other classes are acknowledged within a second while a server is frozen %s [NODE-23]',
  async (_, stage) => {
    const classId = await addClass(well);
    const otherIds = [await addClass(well), await addClass(well)];
    const freeze = proxy.freezeAt(stage);
    const frozenCommit = frozen.commits.write(append(classId), { classId }).then(
      () => 1,
      () => null,
    );
    await freeze;

    const sameClass = well.commits.write(append(classId), { classId }).then(
      () => 1,
      () => 0,
    );
    for (let round = 0; round < 3; round++) {
      for (const otherId of otherIds) {
        const startedAt = performance.now();
        await well.commits.write(append(otherId), { classId: otherId });
        expect(performance.now() - startedAt).toBeLessThan(1000);
      }
    }

    proxy.thaw();
    const outcomes = [await frozenCommit, await sameClass];
    const entries = (await listLogEntries(well.db, classId, 1, 10)).length;
    expect(entries).toBeGreaterThanOrEqual(outcomes.filter((outcome) => outcome === 1).length);
    expect(entries).toBeLessThanOrEqual(2);
    expect(await sameClass).toBe(1);
  },
  20_000,
);
