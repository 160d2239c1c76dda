// Proves that the attacks of order.test.ts find an existing order: here it is not erased, and a vote writes the row of the
// voter's persona.
import { describe, expect, test, vi } from 'vitest';
import type { UnitOfWork } from '#server/store/changes.ts';
import { getMember, type Actor } from '#server/chat/members/member.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  simulateArrivals,
  measureOrderInPages,
  countPairedByCommits,
  countPairedByTables,
  shapes,
  maxChanceOrder,
} from './arrivals.ts';
import { maxChanceHits } from './school.ts';
import { onPostgres } from './settled.ts';

vi.mock('#server/store/dialects/sqlite-row-order.ts', () => ({
  SqliteRowOrderEraser: class {
    async stop() {}
  },
}));
vi.mock(import('#server/store/dialects/postgres-row-order.ts'), () => ({
  createRowOrderEraser: () => ({ stop: async () => {} }),
}));

vi.mock(import('#server/chat/messages/questions.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async vote(unitOfWork, actor, ...rest) {
      await writePersona(unitOfWork, actor);
      return original.vote(unitOfWork, actor, ...rest);
    },
  };
});
vi.mock(import('#server/chat/messages/polls.ts'), async (load) => {
  const original = await load();
  return {
    ...original,
    async choose(unitOfWork, actor, ...rest) {
      await writePersona(unitOfWork, actor);
      return original.choose(unitOfWork, actor, ...rest);
    },
  };
});

async function writePersona({ db }: UnitOfWork, { personaKey, accountId, classId }: Actor) {
  const { memberId } = (await getMember(db, personaKey, accountId, classId)).persona;
  await db
    .updateTable('personas')
    .set({ icon: `${memberId}.4` })
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
}

// Arrivals of a burst overlap, so adjacency alone does not reliably pair them. A sign-in writes no account id.
const oneByOne = Object.entries(shapes).filter(
  ([name, { burst }]) => !burst && !name.startsWith('sign in'),
);

describe.each(oneByOne)('%s', (name, shape) => {
  const app = setUpApp();

  test('rows in their original order pair accounts with personas [ANON-28]', async () => {
    const paired: number[] = [];
    const arrivals = await simulateArrivals(app, shape, async (soFar) => {
      if (!onPostgres) paired.push(countPairedByCommits(app, soFar));
    });
    // A student who left and signed out has no row in the tables that reveal times.
    const isLeaving = name.includes('leave');

    if (onPostgres) {
      if (!isLeaving) {
        expect(await countPairedByTables(app, arrivals)).toBeGreaterThan(maxChanceHits);
      }
      return;
    }
    expect(Math.max(...paired)).toBeGreaterThan(maxChanceHits);

    // If many rows existed before, page splits have sorted them.
    if (name !== 'sign up, join, then speak') return;
    await app.restart();
    expect(measureOrderInPages(app, arrivals)).toBeGreaterThan(maxChanceOrder);
  });
});
