// What the daily run makes of preferences whose order was not erased, because the server was killed.
import { createSecretKey, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { seal } from '#server/base/seal.ts';
import { savePreferences } from '#server/chat/members/preferences-queries.ts';
import {
  createSealedMemberTables,
  type MemberRowKeys,
} from '#server/endings/reseal-member-rows.ts';
import { listLeaves } from '#tests/anonymity/sqlite-pages.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

const members = 24;
/** About as large as padded preferences are. */
const paddedBytes = 24 * 1024;

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

test('the daily run unlinks the preferences of one member after a killed server left their order [ANON-57]', async () => {
  const key = createSecretKey(randomBytes(32));
  const keys: MemberRowKeys = {
    readMarks: { positions: key },
    preferences: { ids: key, contents: key },
  };
  const classIds = [await addClass(storage), await addClass(storage)] as const;
  const owners = Array.from({ length: members }, () => [createRandomId(), createRandomId()]);
  for (const [firstOwner = '', secondOwner = ''] of owners) {
    await storage.commits.write(async ({ db }) => {
      for (const [classId, owner] of [
        [classIds[0], firstOwner],
        [classIds[1], secondOwner],
      ] as const) {
        const text = JSON.stringify({ ignored: [], hidden: [], muted: false, version: 3 });
        const context = `${classId} ${owner}`;
        const content = seal(key, text, { context, padTo: paddedBytes });
        await savePreferences(db, { classId, owner, content });
      }
    }, 'allAccounts');
  }

  const eraser = storage.startRowOrderEraser(() => true);
  const preferences = createSealedMemberTables(keys, key).at(-1)!;
  for (let lastKey: string | null = ''; lastKey !== null;) {
    const previousKey: string = lastKey;
    lastKey = await storage.commits.write(
      (unitOfWork) => preferences.resealAfter(unitOfWork, previousKey),
      'allAccounts',
    );
  }
  await eraser.stop();

  const file = readFileSync(join(storage.database.settings.DATA_DIR, 'backchannel.sqlite'));
  const cells = [...listLeaves(file).values()].flat();
  const findPage = (owner: string) =>
    cells.find(({ content }) => content.includes(owner))?.overflow ?? -1;
  const secondPages = owners
    .map(([, owner = '']) => ({ owner, page: findPage(owner) }))
    .toSorted((a, b) => a.page - b.page);
  const linked = owners.filter(([firstOwner = '', secondOwner]) => {
    const page = findPage(firstOwner);
    return secondPages.find((second) => second.page > page)?.owner === secondOwner;
  });
  expect(secondPages.filter(({ page }) => page > 0).length).toBeGreaterThan(members / 2);
  expect(linked.length).toBeLessThanOrEqual(members / 3);
});
