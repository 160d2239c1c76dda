// Seals the times of accounts, sessions and links before better-auth stores them.
import type { KeyObject } from 'node:crypto';
import { generateId } from 'better-auth';
import type { getAdapter } from 'better-auth/db/adapter';
import { hiddenTimes, sealTimes, timesOf, unsealTimes } from '#server/base/sealed-times.ts';

type Adapter = Awaited<ReturnType<typeof getAdapter>>;
type Row = Record<string, unknown>;

/**
 * Wraps the adapter so that the columns of times are the same in all rows, and the real ones are in the column `times`.
 * better-auth gets the real ones. Tokens and identifiers are hashed already.
 */
export function withSealedTimes(adapter: Adapter, key: KeyObject): Adapter {
  const reveal = <Found>(model: string, found: Found): Found => {
    const row = found as Row | null;
    const context = row && contextOf(model, row);
    if (!context || typeof row['times'] !== 'string') return found;
    const times = unsealTimes(key, context, row['times']);
    // A row of another key has expired.
    const { createdAt, expiresAt } = times ?? { createdAt: 0, expiresAt: 0 };
    return {
      ...found,
      createdAt: new Date(createdAt),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    };
  };

  const hide = (model: string, row: Row): Row => {
    const context = contextOf(model, row);
    const { createdAt, updatedAt, expiresAt } = hiddenTimes;
    if (!context) return { ...row, createdAt, updatedAt };
    const { createdAt: createdDay, expiresAt: end } = row as Record<string, Date | undefined>;
    const times = {
      createdAt: createdDay?.getTime() ?? 0,
      ...(end && { expiresAt: end.getTime() }),
    };
    const sealed = sealTimes(key, context, times);
    return { ...row, createdAt, updatedAt, ...(end && { expiresAt }), times: sealed };
  };

  return {
    ...adapter,
    async create(query) {
      const { model } = query;
      const data = model === 'user' ? { id: generateId(), ...query.data } : query.data;
      const created = await adapter.create({
        ...query,
        data: hide(model, data),
        ...(model === 'user' && { forceAllowId: true }),
      });
      return reveal(model, created) as never;
    },
    findOne: async (query) => reveal(query.model, await adapter.findOne(query)) as never,
    async findMany(query) {
      const found = await adapter.findMany(query);
      return found.map((row) => reveal(query.model, row)) as never;
    },
    async update(query) {
      const { model, where, update } = query;
      if (!('expiresAt' in update)) {
        const { updatedAt } = hiddenTimes;
        return adapter.update({ ...query, update: { ...update, updatedAt } });
      }
      const found = reveal<Row | null>(model, await adapter.findOne({ model, where }));
      if (!found) return null;
      const { times, createdAt, updatedAt, expiresAt } = hide(model, { ...found, ...update });
      const hidden = { ...update, times, createdAt, updatedAt, expiresAt };
      return reveal(model, await adapter.update({ ...query, update: hidden }));
    },
    transaction: (work) =>
      adapter.transaction((inner) => work(withSealedTimes(inner as Adapter, key))),
  };
}

/** @returns null if the table stores no times */
function contextOf(model: string, row: Row): string | null {
  if (model === 'user') return timesOf.account(String(row['id']));
  if (model === 'session') return timesOf.session(String(row['token']));
  if (model === 'verification') return timesOf.link(String(row['identifier']));
  return null;
}
