// The places of read marks and preferences in SQLite's file, while a server runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandomId } from '#server/base/random-id.ts';
import { saveReadMark } from '#server/chat/members/read-marks-queries.ts';
import { savePreferences } from '#server/chat/members/preferences-queries.ts';
import { calculateKendall, maxChanceOrder } from '#tests/anonymity/arrivals.ts';
import { listLeaves } from '#tests/anonymity/sqlite-pages.ts';
import { addClass, openStorage, type OpenedStorage } from './opened-storage.ts';

const members = 24;
/** A content that takes as many pages as padded preferences. */
const content = 'x'.repeat(32 * 1024);

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

const loadDatabase = () =>
  readFileSync(join(storage.database.settings.DATA_DIR, 'backchannel.sqlite'));

test('the file does not have read marks in the order in which they were written [ANON-58]', async () => {
  const eraser = storage.startRowOrderEraser(() => true);
  const classId = await addClass(storage);
  const readers = Array.from({ length: members }, () => createRandomId());
  const save = (reader: string, position: string) =>
    storage.commits.write(
      ({ db }) => saveReadMark(db, { classId, reader, position }),
      'allAccounts',
    );
  const findOrders = () =>
    [...listLeaves(loadDatabase()).values()].map((cells) =>
      calculateKendall(
        readers.flatMap((reader) => {
          const cell = cells.find(({ content: row }) => row.includes(`${classId}${reader}`));
          return cell ? [cell.offset] : [];
        }),
      ),
    );

  for (const reader of readers) await save(reader, 'a'.repeat(59));
  const findOrder = () => Math.max(...findOrders().map(Math.abs));
  await expect.poll(findOrder).toBeLessThan(maxChanceOrder);

  for (const reader of readers) await save(reader, 'b'.repeat(59));
  await expect.poll(findOrder).toBeLessThan(maxChanceOrder);

  await eraser.stop();

  expect(loadDatabase().toString('latin1').split('b'.repeat(59)).length - 1).toBe(members);
  expect(findOrder()).toBeLessThan(maxChanceOrder);
});

// Most of such a row is on overflow pages. Their numbers must not tell which rows were written together.
test('the pages of preferences do not link the rows of one member [ANON-57]', async () => {
  const eraser = storage.startRowOrderEraser(() => true);
  const classIds = [await addClass(storage), await addClass(storage)] as const;
  const links = new Map<string, string>();
  for (let n = 0; n < members; n++) {
    const owners = [createRandomId(), createRandomId()] as const;
    links.set(...owners);
    await storage.commits.write(async ({ db }) => {
      for (const [place, classId] of classIds.entries()) {
        await savePreferences(db, { classId, owner: owners[place]!, content });
      }
    }, 'allAccounts');
  }
  await eraser.stop();

  const cells = [...listLeaves(loadDatabase()).values()].flat();
  const findPage = (owner: string) =>
    cells.find(({ content: row }) => row.includes(owner))?.overflow ?? -1;
  const partners = [...links.values()].map((owner) => ({ owner, page: findPage(owner) }));
  const linked = [...links].filter(([owner, other]) => {
    const page = findPage(owner);
    const distances = partners.map((partner) => Math.abs(partner.page - page));
    return partners[distances.indexOf(Math.min(...distances))]?.owner === other;
  });

  expect(partners.filter(({ page }) => page > 0).length).toBeGreaterThan(members / 2);
  expect(linked.length).toBeLessThanOrEqual(members / 3);
});
