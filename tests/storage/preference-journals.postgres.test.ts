// Preferences at two nodes: what one has saved and not yet written, the other one knows, changes, erases and writes.
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { joinClass, leaveClass } from '#server/chat/members/joining.ts';
import { listPreferenceOwners } from '#server/chat/members/preferences-queries.ts';
import { PreferenceStore } from '#server/chat/members/preferences.ts';
import { createReadMarks } from '#server/chat/members/read-marks.ts';
import {
  addAccount,
  addClass,
  openStorage,
  timesKey,
  type OpenedStorage,
} from './opened-storage.ts';

const key = () => createSecretKey(randomBytes(32));
const keys = { ids: key(), contents: key() };
const markKeys = { ids: key(), positions: key() };
const personaKey = key();
const muted = { ignored: [], hidden: [], muted: true, version: 0 };
const maxDelayMs = 60_000;

let one: OpenedStorage;
let other: OpenedStorage;
const nodes: PreferenceStore[] = [];
beforeAll(async () => {
  one = await openStorage();
  other = await openStorage(one.database);
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  vi.useRealTimers();
});
afterAll(async () => {
  await other.close();
  await one.close();
});

function openNode({ db, commits }: OpenedStorage): PreferenceStore {
  const node = new PreferenceStore({ db, commits, keys, isShared: true });
  nodes.push(node);
  return node;
}

/** A member, and two nodes. The member joins and leaves at the second one. */
async function openNodes() {
  const classId = await addClass(one);
  const accountId = await addAccount(one);
  const first = openNode(one);
  const second = openNode(other);
  const salt = (await findClass(one.db, classId))?.salt ?? '';
  const { db, commits } = other;
  const readMarks = createReadMarks({ db, commits, keys: markKeys });
  const departure = { personaKey, readMarks, preferences: second };
  const scope = { classId, accountId };
  const join = () =>
    commits.write((unitOfWork) => joinClass(unitOfWork, timesKey, accountId, classId), scope);
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

const readStored = (owner: ReturnType<PreferenceStore['deriveOwner']>) => openNode(one).get(owner);

test('preferences that one node has not written are not there when their owner joins again after leaving at another node [LEAVE-13]', async () => {
  const { owner, first, second, join, leave } = await openNodes();
  await first.save(one.commits, owner, muted);

  await leave();
  await join();

  expect(await readStored(owner)).toMatchObject({ muted: false, version: 0 });
  await second.stop();
  await first.stop();
  expect(await readStored(owner)).toMatchObject({ muted: false, version: 0 });
});

test('what a member saves after joining again wins over a later version that another node had not written [LEAVE-13]', async () => {
  const { owner, first, second, join, leave } = await openNodes();
  const saved = await first.save(one.commits, owner, muted);
  await first.save(one.commits, owner, saved);
  await leave();
  await join();

  await second.save(other.commits, owner, { ...muted, hidden: ['a message'] });

  await second.stop();
  await first.stop();
  expect(await readStored(owner)).toMatchObject({ hidden: ['a message'], version: 1 });
});

test('of two nodes that save on top of one version, the second is rejected [SELF-3, NODE-10]', async () => {
  const { owner, first, second } = await openNodes();
  const saved = await first.save(one.commits, owner, muted);
  expect(await second.get(owner)).toEqual(saved);
  await first.save(one.commits, owner, { ...saved, muted: false });

  const stale = second.save(other.commits, owner, { ...saved, hidden: ['a message'] });

  await expect(stale).rejects.toMatchObject({ code: 'PREFERENCES_CHANGED' });
  // The browser saves again on top of what it reads now, also within the second that the node remembers what it has read.
  expect(await second.get(owner)).toMatchObject({ muted: false, version: 2 });
});

test('what a killed node had not written is read at another node, which writes it when its time has come [NODE-10, SELF-51]', async () => {
  const { classId, owner, first, second } = await openNodes();
  await first.save(one.commits, owner, muted);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + maxDelayMs);

  expect(await second.get(owner)).toMatchObject({ muted: true, version: 1 });

  await expect.poll(() => listPreferenceOwners(one.db, classId)).toEqual([owner.id]);
});

test('a departure changes the journal in the same way with and without preferences [NODE-16]', async () => {
  const sizes: number[] = [];
  for (const isMuted of [true, false]) {
    const { owner, first, second, leave } = await openNodes();
    if (isMuted) {
      await first.save(one.commits, owner, muted);
      await first.stop();
    }
    await leave();
    const [row] = await one.database.query(
      `select value from "serverMetadata" where name = 'pendingPreferences'`,
    );
    sizes.push(String(row!['value']).length);
    await second.stop();
  }
  expect(sizes[0]).toBe(sizes[1]);
});
