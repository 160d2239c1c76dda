// Preferences at two nodes: what one has saved and not yet written, the other one knows, changes, erases and writes.
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { leaveClass } from '#server/chat/members/joining.ts';
import { listPreferenceOwners } from '#server/chat/members/preferences-queries.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { createReadMarks } from '#server/chat/members/read-marks.ts';
import { addAccount, addClass, openStorage, enroll, type OpenedStorage } from './opened-storage.ts';

const createKey = () => createSecretKey(randomBytes(32));
const keys = { ids: createKey(), contents: createKey() };
const markKeys = { ids: createKey(), positions: createKey() };
const personaKey = createKey();
const muted = { ignored: [], hidden: [], muted: true, version: 0 };
const maxDelayMs = 60_000;

let firstServer: OpenedStorage;
let secondServer: OpenedStorage;
const nodes: PreferenceStore[] = [];
beforeAll(async () => {
  firstServer = await openStorage();
  secondServer = await openStorage(firstServer.database);
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  vi.useRealTimers();
});
afterAll(async () => {
  await secondServer.close();
  await firstServer.close();
});

function openNode({ db, commits }: OpenedStorage): PreferenceStore {
  const node = new PreferenceStore({ db, commits, keys, isShared: true });
  nodes.push(node);
  return node;
}

/** A member, and two nodes. The member joins and leaves at the second one. */
async function openNodes() {
  const classId = await addClass(firstServer);
  const accountId = await addAccount(firstServer);
  const first = openNode(firstServer);
  const second = openNode(secondServer);
  const salt = (await findClass(firstServer.db, classId))?.salt ?? '';
  const { db, commits } = secondServer;
  const readMarks = createReadMarks({ db, commits, keys: markKeys });
  const departure = { personaKey, voteKey: createKey(), readMarks, preferences: second };
  const scope = { classId, accountId };
  const join = () =>
    commits.write((unitOfWork) => enroll(unitOfWork, personaKey, accountId, classId), scope);
  const leave = () =>
    commits.write((unitOfWork) => leaveClass(unitOfWork, departure, accountId, classId), scope);
  await join();
  return {
    classId,
    owner: first.deriveOwner(classId, salt, accountId),
    first,
    second,
    join,
    leave,
  };
}

const findStored = (owner: ReturnType<PreferenceStore['deriveOwner']>) =>
  openNode(firstServer).get(owner);

test('unwritten preferences are gone when their owner leaves and joins again at another node [LEAVE-13]', async () => {
  const { owner, first, second, join, leave } = await openNodes();
  await first.save(firstServer.commits, owner, muted);

  await leave();
  await join();

  expect(await findStored(owner)).toMatchObject({ muted: false, version: 0 });

  await second.stop();
  await first.stop();
  expect(await findStored(owner)).toMatchObject({ muted: false, version: 0 });
});

test('preferences after joining again win over a later version that another node had not written [LEAVE-13]', async () => {
  const { owner, first, second, join, leave } = await openNodes();
  const savedPreferences = await first.save(firstServer.commits, owner, muted);
  await first.save(firstServer.commits, owner, savedPreferences);
  await leave();
  await join();

  await second.save(secondServer.commits, owner, { ...muted, hidden: ['a message'] });

  await second.stop();
  await first.stop();
  expect(await findStored(owner)).toMatchObject({ hidden: ['a message'], version: 1 });
});

test('the second of two nodes that save on top of one version is rejected [SELF-3, NODE-10]', async () => {
  const { owner, first, second } = await openNodes();
  const savedPreferences = await first.save(firstServer.commits, owner, muted);
  expect(await second.get(owner)).toEqual(savedPreferences);

  await first.save(firstServer.commits, owner, { ...savedPreferences, muted: false });

  const stale = second.save(secondServer.commits, owner, {
    ...savedPreferences,
    hidden: ['a message'],
  });

  await expect(stale).rejects.toMatchObject({ code: 'PREFERENCES_CHANGED' });
  // The browser saves again on top of what it reads now, also within the second that the node remembers what it has read.
  expect(await second.get(owner)).toMatchObject({ muted: false, version: 2 });
});

test('another node reads and later writes the preferences of a killed node [NODE-10, SELF-51]', async () => {
  const { classId, owner, first, second } = await openNodes();
  await first.save(firstServer.commits, owner, muted);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + maxDelayMs);

  expect(await second.get(owner)).toMatchObject({ muted: true, version: 1 });

  await expect.poll(() => listPreferenceOwners(firstServer.db, classId)).toEqual([owner.id]);
});

test('a departure changes the journal in the same way with and without preferences [NODE-16]', async () => {
  const sizes: number[] = [];

  for (const isMuted of [true, false]) {
    const { owner, first, second, leave } = await openNodes();
    if (isMuted) {
      await first.save(firstServer.commits, owner, muted);
      await first.stop();
    }
    await leave();
    const [row] = await firstServer.database.query(
      `select value from "serverMetadata" where name = 'pendingPreferences'`,
    );
    sizes.push(String(row!['value']).length);
    await second.stop();
  }

  expect(sizes[0]).toBe(sizes[1]);
});
