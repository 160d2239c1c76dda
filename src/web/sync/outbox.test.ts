import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryStorage, type OutboxStorage } from './outbox-storage.ts';
import { createOutbox } from './outbox.ts';

let changed: string[];
let told: number;
let storage: OutboxStorage;
beforeEach(() => {
  changed = [];
  told = 0;
  storage = createMemoryStorage(true);
});
afterEach(() => vi.restoreAllMocks());

function tab(now = () => 1) {
  return createOutbox({
    storage: Promise.resolve(storage),
    now,
    onChange: (classId) => changed.push(classId),
    onStored: () => (told += 1),
  });
}
const entry = (id: string) => ({ id, classId: id[0]!, text: id, replyTo: null });
const ids = (of: { id: string }[] | readonly { id: string }[]) => of.map(({ id }) => id);

describe('the outbox', () => {
  test('shows at once what is stored later, in the order of writing [SEND-7, LOG-14]', async () => {
    const outbox = tab();
    await outbox.open('ada');
    for (const id of ['a2', 'b1', 'a1']) outbox.add(entry(id));
    expect(ids(outbox.entries())).toEqual(['a2', 'b1', 'a1']);
    expect(changed).toEqual(['a', 'b', 'a']);
    await vi.waitFor(() => expect(told).toBe(3));
    const next = tab();
    await next.open('ada');
    expect(next.entries()).toMatchObject(outbox.entries());
  });

  test('brings only what the same account wrote [LOG-15]', async () => {
    const ada = tab();
    ada.add(entry('a1'));
    await ada.open('ada');
    const ben = tab();
    await ben.open('ben');
    expect(ben.entries()).toEqual([]);
    await ben.clear();
    expect(ids(await storage.list('ada'))).toEqual(['a1']);
  });

  test('stores nothing before it knows whose words they are [LOG-15]', async () => {
    const put = vi.spyOn(storage, 'put');
    const outbox = tab();
    outbox.add(entry('a1'));
    await Promise.resolve();
    expect(put).not.toHaveBeenCalled();
    await outbox.open('ada');
    expect(await storage.list('ada')).toEqual([{ ...outbox.entries()[0], account: 'ada' }]);
  });

  test('keeps what failed, with its reason, until it is retried or discarded [SEND-8]', async () => {
    const outbox = tab();
    await outbox.open('ada');
    outbox.add(entry('a1'));
    outbox.fail('a1', 'Please shorten it.');
    const next = tab();
    await next.open('ada');
    expect(next.entries()).toMatchObject([{ id: 'a1', failure: 'Please shorten it.' }]);
    next.retry('a1');
    await outbox.reload();
    expect(outbox.entries()).toMatchObject([{ id: 'a1', failure: null }]);
    outbox.remove(['a1']);
    await next.reload();
    expect(next.entries()).toEqual([]);
  });

  test('is not put back by a reading that a change overtook [LOG-14]', async () => {
    const outbox = tab();
    await outbox.open('ada');
    outbox.add(entry('a1'));
    const reading = outbox.reload();
    await Promise.resolve();
    outbox.remove(['a1']);
    outbox.add(entry('a2'));
    await reading;
    expect(ids(outbox.entries())).toEqual(['a2']);
  });

  test('is wiped for every tab on signing out [AUTH-18]', async () => {
    const outbox = tab();
    await outbox.open('ada');
    outbox.add(entry('a1'));
    await outbox.clear();
    expect([outbox.entries(), await storage.list('ada')]).toEqual([[], []]);
  });

  test('holds in memory what the browser refuses to store [LOG-14]', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const outbox = tab();
    await outbox.open('ada');
    vi.spyOn(storage, 'put').mockRejectedValue(new Error('full'));
    outbox.add(entry('a1'));
    await vi.waitFor(() => expect(outbox.isOnlyHere('a1')).toBe(true));
    await outbox.reload();
    expect(ids(outbox.entries())).toEqual(['a1']);
    expect(warned).toHaveBeenCalledOnce();
  });

  test('keeps its order when the clock goes back', () => {
    const times = [9, 5, 7];
    const outbox = tab(() => times.shift() ?? 0);
    for (const id of ['a1', 'a2', 'a3']) outbox.add(entry(id));
    expect(outbox.entries().map(({ createdAt }) => createdAt)).toEqual([9, 10, 11]);
  });
});
