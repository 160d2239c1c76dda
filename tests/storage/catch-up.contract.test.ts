// After an interruption of any length, catching up must produce the same room.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import { replay, takeSnapshot } from '#server/chat/messages/catch-up.ts';
import { deleteMessage, editMessage, postMessage, react } from '#server/chat/messages/messages.ts';
import { addAccount, addClass, openStorage, enroll, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

/** Two members post, react, edit and delete. Returns the items that every subscriber received. */
async function createLiveRoom(): Promise<{ classId: string; live: LogItem[] }> {
  const { commits, published } = storage;
  const classId = await addClass(storage);
  const members = [await addAccount(storage), await addAccount(storage)];
  for (const member of members) {
    await commits.write((unitOfWork) => enroll(unitOfWork, member, classId), 'everything');
  }
  const [ada, ben] = members.map((accountId) => ({ accountId, classId }));
  for (let i = 0; i < 12; i++) {
    const id = randomUUID();
    await commits.write(
      (unitOfWork) => postMessage(unitOfWork, ada!, { id, text: `message ${i}` }),
      'everything',
    );
    if (i % 2 === 0) {
      await commits.write((unitOfWork) => react(unitOfWork, ben!, id, '👍'), 'everything');
    }
    if (i % 3 === 0) {
      await commits.write(
        (unitOfWork) => editMessage(unitOfWork, ada!, id, `edited ${i}`),
        'everything',
      );
    }
    if (i % 4 === 0) {
      await commits.write(
        (unitOfWork) => react(unitOfWork, ben!, id, i % 8 ? '❤️' : null),
        'everything',
      );
    }
    if (i % 5 === 0) {
      await commits.write((unitOfWork) => deleteMessage(unitOfWork, ada!, id), 'everything');
    }
    await commits.write(
      (unitOfWork) => postMessage(unitOfWork, ben!, { id: randomUUID(), text: `answer ${i}` }),
      'everything',
    );
  }
  const live = published.filter((entry) => entry.classId === classId).flatMap(({ items }) => items);
  return { classId, live };
}

function apply(items: readonly LogItem[]): Message[] {
  const room = new Map<string, Message>();
  for (const item of items) {
    if (item.kind === 'posted') room.set(item.message.id, structuredClone(item.message));
    if (item.kind === 'deleted') room.delete(item.messageId);
    const message = 'messageId' in item ? room.get(item.messageId) : undefined;
    if (message && item.kind === 'edited') {
      message.text = item.text;
      message.editedAt = item.editedAt;
    }
    if (message && item.kind === 'reacted') {
      if (item.emoji) message.reactions[item.memberId] = item.emoji;
      else delete message.reactions[item.memberId];
    }
  }
  return [...room.values()].toSorted((a, b) => a.seq - b.seq);
}

test('items before an interruption and the replay after it produce the snapshot [LOG-6, DELETE-7]', async () => {
  const { classId, live } = await createLiveRoom();
  const head = live.length;

  const snapshot = await takeSnapshot(storage.db, classId, head);
  expect(snapshot.messages.length).toBeGreaterThan(15);
  expect(apply(live)).toEqual(snapshot.messages);

  for (let seq = 0; seq <= head; seq++) {
    const id = live[seq - 1]?.id ?? null;
    const replayed = await replay(storage.db, classId, { seq, id }, head);
    expect(replayed).toMatchObject({ from: seq + 1, to: head, lastId: snapshot.lastId });
    expect(apply([...live.slice(0, seq), ...replayed!.items])).toEqual(snapshot.messages);
  }
  const foreign = { seq: 3, id: 'another one' };
  expect(await replay(storage.db, classId, foreign, head)).toBeNull();
});
