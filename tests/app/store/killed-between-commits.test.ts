// Calls that commit more than once. The process is killed after each of these commits: what is missing is finished by the next
// start, or by the person who repeats the call. All other calls commit once. Background changes that commit more than once
// are in killed-removals.contract.test.ts and in the tests of their features.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Change } from '#server/store/changes.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import type { RouteName } from '#contract/routes.ts';
import {
  areAllCasesTested,
  changeNames,
  changeSettings,
  prepareChange,
  setOperators,
  setScene,
  type ChangeName,
  type ChangeScene,
} from '#tests/calls/changes.ts';
import { endedTerm, endInTerm } from '#tests/support/ended-term.ts';
import { publishVotesSoon } from '#tests/support/questions.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

interface Call {
  name: RouteName;
  commitCount: number;
}

publishVotesSoon();

const kills = vi.hoisted(() => ({
  calls: null as unknown as AsyncLocalStorage<Call>,
  /** The call whose process ends after its n-th commit. */
  next: null as { name: string; commit: number; onKilled(): void } | null,
}));
kills.calls = new AsyncLocalStorage<Call>();

vi.mock(import('#server/http/route.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    createRoute(...parts) {
      const route = original.createRoute(...parts);
      return (name, handle) => {
        route(name, (incoming) => {
          const call: Call = { name, commitCount: 0 };
          return kills.calls.run(call, () => handle(incoming));
        });
      };
    },
  };
});

vi.mock(import('#server/store/commit-queue.ts'), async (load) => {
  const original = await load();
  class KilledCommitQueue extends original.GroupCommitQueue {
    override async write<Result>(change: Change<Result>, scope: Scope): Promise<Result> {
      const result = await super.write(change, scope);
      const call = kills.calls.getStore();
      if (!call) return result;
      call.commitCount += 1;
      const { next } = kills;
      if (next?.name !== call.name || next.commit !== call.commitCount) return result;
      next.onKilled();
      // Nothing of the call runs after this.
      return new Promise(() => {});
    }
  }
  return { ...original, GroupCommitQueue: KilledCommitQueue };
});

interface Case {
  /** The call, if that of changes.ts commits only once. */
  prepare?(scene: ChangeScene): Promise<() => Promise<unknown>>;
  /** Checks that the rest is finished, after the next start and after what a person does who got no reply. */
  expectFinished(scene: ChangeScene, commit: number): Promise<void>;
}

const cases: { [Name in ChangeName]?: Case } = {
  // Without its mail the link expires.
  requestPasswordReset: {
    async expectFinished({ app, ada }, commit) {
      if (commit === 1) await ada.call('requestPasswordReset', { body: { email: ada.email } });
      await waitForMails(app, ada.email, '/reset-password#token=', 1);
    },
  },
  // The other sessions end first.
  deleteAccount: {
    async expectFinished({ app, ada, adaElsewhere, messageId }, commit) {
      await expectSignedOut(adaElsewhere);
      if (commit === 1) {
        const body = { password: ada.password, messages: 'delete' } as const;
        await ada.call('deleteAccount', { body });
      }
      await expectSignedOut(ada);
      // Its content goes within a day: see killed-removals.contract.test.ts.
      const messages = await app.database.query(
        `select id from messages where id = '${messageId}'`,
      );
      expect(messages).toHaveLength(1);
    },
  },
  deleteImage: {
    async expectFinished({ app, classId }) {
      const listImages = () => app.database.query('select "imageId", "classId" from images');
      const isOfClass = (image: Record<string, unknown>) => image['classId'] === classId;
      await expect.poll(async () => (await listImages()).filter(isOfClass)).toEqual([]);
      const imageIds = (await listImages()).map(({ imageId }) => imageId);
      expect(imageIds).toEqual(expect.arrayContaining(listPictures(app)));
    },
  },
  endTerm: {
    async prepare(scene) {
      const year = await startTermOfTwo(scene);
      return () => scene.olga.call('endTerm', { body: { semesterSeason: 'Fall', year } });
    },
    async expectFinished({ olga, classId, courseName }) {
      const { classes } = await olga.call('listAllClasses', { query: { query: courseName } });
      const { year } = classes.find((candidate) => candidate.classId === classId)!;
      const body = { semesterSeason: 'Fall', year: year! } as const;

      await olga.call('endTerm', { body });

      expect(await olga.call('endTerm', { body })).toEqual({ endedTotal: 0, remaining: 0 });
    },
  },
  // It commits once: no request is without its mails.
  requestUnmasking: {
    async expectFinished({ app, olga, otto }) {
      const [row] = await app.database.query('select count(*) as requests from unmaskings');
      for (const { email } of [olga, otto]) {
        await waitForMails(app, email, 'A request to unmask', Number(row!['requests']));
      }
    },
  },
  reopenTerm: {
    async prepare({ app, ada, olga, classId, courseName }) {
      await endInTerm(app.database, classId, await ada.createClass({ courseName }));
      return () => olga.call('reopenTerm', { body: endedTerm });
    },
    async expectFinished({ olga, courseName }) {
      await olga.call('reopenTerm', { body: endedTerm });

      const { classes } = await olga.call('listAllClasses', { query: { query: courseName } });
      expect(classes.map(({ ended }) => ended)).toEqual([false, false]);
      expect(await olga.call('reopenTerm', { body: endedTerm })).toEqual({
        reopenedTotal: 0,
        remaining: 0,
      });
    },
  },
};

async function startTermOfTwo({ app, ada, classId, courseName }: ChangeScene): Promise<number> {
  const second = await ada.createClass({ courseName: `${courseName} 2` });
  const year = 2000 + randomInt(100);
  await app.database.query(
    `update classes set "semesterSeason" = 'Fall', year = ${year}
     where "classId" in ('${classId}', '${second}')`,
  );
  return year;
}

async function expectSignedOut(person: TestClient): Promise<void> {
  await expect(person.call('listDevices', {})).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
}

async function waitForMails(
  app: RunningApp,
  email: string,
  text: string,
  count: number,
): Promise<void> {
  const isIt = (mail: string) => mail.includes(`To: ${email}`) && mail.includes(text);
  await expect.poll(() => app.mails().filter(isIt).length).toBe(count);
}

/** The ids of the pictures that have files. */
function listPictures({ database }: RunningApp): string[] {
  const folder = join(database.settings.DATA_DIR, 'images');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name.split('.')[0] ?? '');
}

describe('calls that are killed', () => {
  const played: { name: ChangeName; commit: number; scene: ChangeScene }[] = [];
  let app: RunningApp;
  let operators: Pick<ChangeScene, 'app' | 'olga' | 'otto'>;

  /** @returns whether the call has so many commits */
  async function playUntil(name: ChangeName, commit: number): Promise<boolean> {
    const scene = await setScene(operators);
    const call = await (cases[name]?.prepare?.(scene) ?? prepareChange(name, scene));
    const killed = new Promise<true>((resolve) => {
      kills.next = { name, commit, onKilled: () => resolve(true) };
    });
    const isKilled = await Promise.race([
      killed,
      call().then(
        () => false,
        () => false,
      ),
    ]);
    kills.next = null;
    if (isKilled) played.push({ name, commit, scene });
    return isKilled;
  }

  beforeAll(async () => {
    app = await startApp(changeSettings);
    operators = await setOperators(app);
    for (const name of areAllCasesTested ? changeNames : (Object.keys(cases) as ChangeName[])) {
      let commit = cases[name] ? 1 : 2;
      while (await playUntil(name, commit)) commit += 1;
    }
    await app.restart();
  }, 600_000);
  afterAll(() => app.stop());

  test('each call that commits more than once has a case here [LOG-90]', () => {
    const names = played.filter(({ commit }) => commit > 1).map(({ name }) => name);

    expect(Object.keys(cases)).toEqual(expect.arrayContaining(names));
  });

  test.each(Object.entries(cases))(
    'a process that is killed between two commits of %s loses nothing of it [LOG-90]',
    async (name, { expectFinished }) => {
      const scenes = played.filter((candidate) => candidate.name === name);

      expect(scenes).not.toEqual([]);
      for (const { commit, scene } of scenes) await expectFinished(scene, commit);
    },
  );
});
