import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryStorage, type OutboxPicture, type OutboxStorage } from './outbox-storage.ts';
import { createMessageId, Outbox } from './outbox.ts';

let notifications: number;
let removedPictureIds: string[];
let unstoredPictureIds: string[];
let storage: OutboxStorage;
beforeEach(() => {
  notifications = 0;
  removedPictureIds = [];
  unstoredPictureIds = [];
  storage = createMemoryStorage(true);
});
afterEach(() => vi.restoreAllMocks());

function openOutbox(now = () => 1) {
  return new Outbox({
    storage: Promise.resolve(storage),
    now,
    onChange: () => undefined,
    onStored: () => (notifications += 1),
    onPictureOnlyInThisTab: (id) => unstoredPictureIds.push(id),
    onPictureRemoved: (id) => removedPictureIds.push(id),
  });
}
const createEntry = (id: string) => ({
  id,
  classId: id[0]!,
  text: id,
  pictures: [] as OutboxPicture[],
  replyTo: null,
});
const createPicture = (): OutboxPicture => ({
  id: 'p1',
  bytes: new Blob(['bytes']),
  size: { width: 4, height: 3 },
  alt: 'A board',
  imageId: null,
  refusal: null,
});
function leaveNoRoomForPictures(): void {
  const { put } = storage;
  vi.spyOn(storage, 'put').mockImplementation((storedEntry) =>
    storedEntry.pictures.some(({ bytes }) => bytes)
      ? Promise.reject(new Error('full'))
      : put(storedEntry),
  );
}
const listIds = (items: { id: string }[] | readonly { id: string }[]) => items.map(({ id }) => id);

describe('the outbox', () => {
  test('the outbox keeps what failed, with its reason, until it is retried or discarded [SEND-8]', async () => {
    const outbox = openOutbox();
    await outbox.open('ada');
    outbox.add(createEntry('a1'));
    outbox.fail('a1', 'Please shorten it.');
    await vi.waitFor(() => expect(notifications).toBe(2));
    const next = openOutbox();
    await next.open('ada');
    expect(next.entries()).toMatchObject([{ id: 'a1', failure: 'Please shorten it.' }]);
    next.retry('a1');
    await vi.waitFor(() => expect(notifications).toBe(3));
    await outbox.reload();
    expect(outbox.entries()).toMatchObject([{ id: 'a1', failure: null }]);
    outbox.remove(['a1']);
    await vi.waitFor(() => expect(notifications).toBe(4));
    await next.reload();
    expect(next.entries()).toEqual([]);
  });

  test('the outbox is not put back by a reading that a change overtook [LOG-14]', async () => {
    const outbox = openOutbox();
    await outbox.open('ada');
    outbox.add(createEntry('a1'));
    const reading = outbox.reload();
    await Promise.resolve();
    outbox.remove(['a1']);
    outbox.add(createEntry('a2'));
    await reading;
    expect(listIds(outbox.entries())).toEqual(['a2']);
  });

  test('the outbox holds in memory what the browser refuses to store [LOG-14]', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const outbox = openOutbox();
    await outbox.open('ada');
    vi.spyOn(storage, 'put').mockRejectedValue(new Error('full'));
    outbox.add(createEntry('a1'));
    await vi.waitFor(() => expect(outbox.isOnlyInThisTab('a1')).toBe(true));
    await outbox.reload();
    expect(listIds(outbox.entries())).toEqual(['a1']);
    expect(warned).toHaveBeenCalledOnce();
  });

  test('A message behind one that the browser refused to store stays in its tab, too [LOG-14]', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const outbox = openOutbox();
    await outbox.open('ada');
    vi.spyOn(storage, 'put').mockRejectedValueOnce(new Error('full'));
    outbox.add(createEntry('a1'));
    await vi.waitFor(() => expect(outbox.isOnlyInThisTab('a1')).toBe(true));

    outbox.add(createEntry('a2'));
    outbox.add(createEntry('b1'));

    await vi.waitFor(() => expect(notifications).toBe(3));
    expect(listIds(await storage.list('ada'))).toEqual(['b1']);
    expect(outbox.isOnlyInThisTab('a2')).toBe(true);
  });

  test('A deletion is stored also behind a message that the browser refused to store [LOG-14]', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    const outbox = openOutbox();
    await outbox.open('ada');
    vi.spyOn(storage, 'put').mockRejectedValueOnce(new Error('full'));
    outbox.add(createEntry('a1'));

    const id = outbox.addDeletion({ classId: 'a', deletes: 'a0' });

    await vi.waitFor(() => expect(notifications).toBe(2));
    expect(listIds(await storage.list('ada'))).toEqual([id]);
    expect(outbox.isOnlyInThisTab(id)).toBe(false);
  });

  test('The outbox keeps its order when the clock goes back [LOG-14]', async () => {
    const times = [9, 5, 7];
    const outbox = openOutbox(() => times.shift() ?? 0);
    await outbox.open('ada');
    for (const id of ['a1', 'a2', 'a3']) outbox.add(createEntry(id));
    await outbox.reload();

    expect(listIds(outbox.entries())).toEqual(['a1', 'a2', 'a3']);
  });

  test('A message written before the stored ones are loaded follows them, also when the clock went back [LOG-14]', async () => {
    const firstOutbox = openOutbox(() => 9);
    await firstOutbox.open('ada');
    firstOutbox.add(createEntry('a1'));
    await vi.waitFor(() => expect(notifications).toBe(1));
    const outbox = openOutbox(() => 5);

    outbox.add(createEntry('a2'));
    await outbox.open('ada');
    outbox.add(createEntry('a3'));
    await vi.waitFor(() => expect(notifications).toBe(3));
    await firstOutbox.reload();

    expect(listIds(outbox.entries())).toEqual(['a1', 'a2', 'a3']);
    expect(listIds(firstOutbox.entries())).toEqual(['a1', 'a2', 'a3']);
  });

  test('A picture without room does not let a later message be stored before its message [LOG-14]', async () => {
    leaveNoRoomForPictures();
    const outbox = openOutbox();
    await outbox.open('ada');

    outbox.add({ ...createEntry('a1'), pictures: [createPicture()] });
    outbox.add(createEntry('a2'));
    await vi.waitFor(() => expect(notifications).toBe(2));

    expect(listIds(await storage.list('ada'))).toEqual(['a1', 'a2']);
  });

  test('A message that is removed while it is being stored does not stay in storage [LOG-14]', async () => {
    leaveNoRoomForPictures();
    const outbox = openOutbox();
    await outbox.open('ada');

    outbox.add({ ...createEntry('a1'), pictures: [createPicture()] });
    outbox.remove(['a1']);
    await vi.waitFor(() => expect(notifications).toBe(2));

    expect(await storage.list('ada')).toEqual([]);
  });

  test('the outbox keeps a picture with its message, and forgets both [PIC-30, AUTH-18]', async () => {
    const outbox = openOutbox();
    await outbox.open('ada');
    outbox.add({ ...createEntry('a1'), pictures: [createPicture()] });
    await outbox.setUploaded('p1', { imageId: 'image 1' });
    const next = openOutbox();
    await next.open('ada');
    const storedPicture = next.find('a1')?.pictures[0];
    expect(storedPicture).toMatchObject({ alt: 'A board', imageId: 'image 1' });
    expect(await storedPicture?.bytes?.text()).toBe('bytes');
    next.remove(['a1']);
    await outbox.reload();
    expect(await storage.list('ada')).toEqual([]);
    expect(removedPictureIds).toEqual(['p1', 'p1']);
  });

  test('the outbox shows the same picture after each reading, or it would be drawn again [PIC-30]', async () => {
    const outbox = openOutbox();
    await outbox.open('ada');
    outbox.add({ ...createEntry('a1'), pictures: [createPicture()] });
    const firstPicture = outbox.find('a1')?.pictures[0];
    vi.spyOn(storage, 'list').mockImplementation(async () => [
      { ...outbox.find('a1')!, pictures: [createPicture()], account: 'ada' },
    ]);
    await outbox.reload();
    expect(outbox.find('a1')?.pictures[0]).toBe(firstPicture);
  });

  test('the outbox keeps the text of a picture for which the browser has no room, and says so [PIC-32]', async () => {
    leaveNoRoomForPictures();
    const outbox = openOutbox();
    await outbox.open('ada');
    outbox.add({ ...createEntry('a1'), pictures: [createPicture()] });
    await vi.waitFor(() => expect(unstoredPictureIds).toEqual(['p1']));
    await vi.waitFor(() => expect(notifications).toBe(1));
    expect([outbox.isOnlyInThisTab('a1'), outbox.isPictureOnlyInThisTab('a1')]).toEqual([
      true,
      true,
    ]);
    await outbox.reload();
    expect(outbox.find('a1')?.pictures[0]?.bytes).not.toBeNull();
    const next = openOutbox();
    await next.open('ada');
    expect(next.entries()).toMatchObject([{ text: 'a1', pictures: [{ bytes: null }] }]);
    next.fail('a1', 'No room.');
    next.retry('a1');
    expect(next.entries()).toMatchObject([{ text: 'a1', pictures: [], failure: null }]);
  });
});

test('a message’s id is random in every bit but those that say so, and carries no clock [ANON-14]', () => {
  const messageId = createMessageId();
  expect(messageId).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );

  // The id depends only on the random bytes, not on the time.
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    (bytes as Uint8Array).fill(0xa5);
    return bytes;
  });
  vi.useFakeTimers({ now: 0 });
  const early = createMessageId();
  vi.setSystemTime(2e12);
  expect(createMessageId()).toBe(early);
  vi.useRealTimers();
  random.mockRestore();

  const messageIds = Array.from({ length: 200 }, () => createMessageId());
  expect(new Set(messageIds).size).toBe(200);
  expect(messageIds).not.toEqual(messageIds.toSorted());
});
