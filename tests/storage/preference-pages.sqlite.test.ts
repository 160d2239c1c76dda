// SQLite stores most of a row of preferences on overflow pages. Their numbers must not tell which rows were written together.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomId } from '#server/base/random-id.ts';
import { savePreferences } from '#server/chat/members/preferences-queries.ts';
import { leavesOf } from '#tests/anonymity/sqlite-pages.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

const members = 24;
/** As many pages as padded preferences have. */
const content = 'x'.repeat(32 * 1024);

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

test('the pages of preferences do not link the rows of one member [ANON-57]', async () => {
  const eraser = storage.startRowOrderEraser(() => true);
  const classIds = [await addClass(storage), await addClass(storage)] as const;
  const links = new Map<string, string>();
  for (let n = 0; n < members; n++) {
    const owners = [randomId(), randomId()] as const;
    links.set(...owners);
    await storage.commits.write(async ({ db }) => {
      for (const [place, classId] of classIds.entries()) {
        await savePreferences(db, { classId, owner: owners[place]!, content });
      }
    }, 'allAccounts');
  }
  await eraser.stop();

  const file = readFileSync(join(storage.database.settings.DATA_DIR, 'backchannel.sqlite'));
  const cells = [...leavesOf(file).values()].flat();
  const findPage = (owner: string) =>
    cells.find(({ content: row }) => row.includes(owner))?.overflow ?? -1;
  const others = [...links.values()].map((owner) => ({ owner, page: findPage(owner) }));
  const linked = [...links].filter(([owner, other]) => {
    const page = findPage(owner);
    const distances = others.map((one) => Math.abs(one.page - page));
    return others[distances.indexOf(Math.min(...distances))]?.owner === other;
  });

  expect(others.filter(({ page }) => page > 0).length).toBeGreaterThan(members / 2);
  expect(linked.length).toBeLessThanOrEqual(members / 3);
});
