// Preferences that a node saved and had not written when it was killed.
import { createSecretKey, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listJournals } from '#server/chat/members/preference-journal.ts';
import { createPreferences } from '#server/chat/members/preferences.ts';
import { randomId } from '#server/base/random-id.ts';
import { listPreferenceOwners } from '#server/chat/members/preferences-queries.ts';
import { addAccount, addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

const key = () => createSecretKey(randomBytes(32));
const keys = { ids: key(), contents: key() };
const chosen = { ignored: [], hidden: [], muted: true, version: 0 };
let storage: OpenedStorage;
const ended: (() => Promise<void>)[] = [];
beforeAll(async () => {
  storage = await openStorage();
});
afterEach(async () => {
  for (const stop of ended.splice(0)) await stop();
});
afterAll(() => storage.close());

async function openNode({ adopts = false, abandonedAfterMs = 50 } = {}) {
  const { db, commits } = storage;
  const node = { id: randomId(), adopts: () => adopts };
  const store = await createPreferences({ db, commits, keys, node, abandonedAfterMs });
  ended.push(store.stop);
  return store;
}

/** A member of a class, and the node that is killed later. */
async function savedByANode() {
  const classId = await addClass(storage);
  const accountId = await addAccount(storage);
  const one = await openNode();
  const owner = one.ownerOf(classId, (await saltOf(classId)) ?? '', accountId);
  return { classId, accountId, owner, one };
}

async function saltOf(classId: string): Promise<string | undefined> {
  const found = await storage.db
    .selectFrom('classes')
    .select('salt')
    .where('classId', '=', classId)
    .executeTakeFirst();
  return found?.salt ?? undefined;
}

const journalNames = async () => (await listJournals(storage.db)).map(({ name }) => name);

test('are taken over by the node with the lease, and written [NODE-10]', async () => {
  const { classId, owner, one } = await savedByANode();
  await one.save(owner, chosen);
  const [abandoned] = await journalNames();
  const holder = await openNode({ adopts: true });
  await expect.poll(journalNames).not.toContain(abandoned);
  expect(await holder.read(owner)).toMatchObject({ muted: true, version: 1 });
  await holder.stop();
  expect(await listPreferenceOwners(storage.db, classId)).toEqual([owner.id]);
});

test('are left alone by a node without the lease, and as long as they change [NODE-10]', async () => {
  const { owner, one } = await savedByANode();
  await openNode();
  await openNode({ adopts: true, abandonedAfterMs: 2_000 });
  let last = await one.save(owner, chosen);
  const [journal] = await journalNames();
  for (let turn = 0; turn < 30; turn++) {
    last = await one.save(owner, last);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await journalNames()).toEqual([journal]);
});
