import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { openDevice } from '#tests/support/open-device.ts';
import { createRandom } from '#tests/support/random.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
let rid = 7_000_000;

async function subscribeLightly(socket: TestSocket, classId: string) {
  const ownRid = ++rid;
  socket.send({ type: 'subscribe', rid: ownRid, classId, light: true });
  const { rid: _, ...frame } = await socket.waitFor('unread', (item) => item.rid === ownRid);
  return frame;
}

const listActivities = (socket: TestSocket) =>
  socket.frames.filter(({ type }) => type === 'activity');

describe('a light subscription', () => {
  test('a light subscription gets the unread count and then its changes [WIRE-42, LIST-10]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const adaSocket = await ada.connect();
    const benSocket = await ben.connect();
    await adaSocket.post(classId, 'before the first visit');

    const firstCount = await subscribeLightly(benSocket, classId);

    const counts = { readSeq: 1, unread: 0, mentions: 0 };
    expect(firstCount).toEqual({ type: 'unread', classId, seq: 1, ...counts });

    const { id } = await adaSocket.post(classId, 'one');
    const activity = await benSocket.waitFor('activity');
    expect(activity).toEqual({ type: 'activity', classId, seq: 2, posted: 1, mentions: 0 });

    await ben.post(classId, 'my own');
    await adaSocket.request({ type: 'react', classId, messageId: id, emoji: null });
    await adaSocket.request({ type: 'edit', classId, messageId: id, text: 'other' });
    await adaSocket.request({ type: 'delete', classId, messageId: id });
    const recountNotice = await benSocket.waitFor('activity', ({ recount }) => recount === true);
    expect(recountNotice).toMatchObject({ posted: 0 });
    expect(listActivities(benSocket)).toHaveLength(2);
    expect(await subscribeLightly(benSocket, classId)).toMatchObject({ readSeq: 1, unread: 0 });
    expect(benSocket.frames.some(({ type }) => type === 'events' || type === 'snapshot')).toBe(
      false,
    );
  });

  test('a member marks a class as read that is not open, no further than its browser knows [LIST-20, LIST-63]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const adaSocket = await ada.connect();
    const benSocket = await ben.connect();
    const otherSocket = await ben.connect();
    for (const socket of [benSocket, otherSocket]) await subscribeLightly(socket, classId);
    await adaSocket.post(classId, 'one');
    await benSocket.waitFor('activity');

    // Only a room that is open marks messages as unread.
    benSocket.send({ type: 'read', classId, seq: 1, back: true });
    expect(await subscribeLightly(benSocket, classId)).toMatchObject({ readSeq: 0, unread: 1 });
    benSocket.send({ type: 'read', classId, seq: 1000 });

    expect(await otherSocket.waitFor('read')).toEqual({ type: 'read', classId, seq: 1 });
    expect(await subscribeLightly(benSocket, classId)).toMatchObject({ readSeq: 1, unread: 0 });
  });

  test('a light subscription looks at no more than the 1,000 newest messages [WIRE-42]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const benSocket = await ben.connect();
    await subscribeLightly(benSocket, classId);
    await ada.post(classId, 'from another member');
    const { me } = await ben.snapshot(classId);
    const insertOwn = async (from: number, to: number) => {
      const rows = Array.from({ length: to - from + 1 }, (_, n) => {
        const seq = from + n;
        return `('${classId}', ${seq}, ${seq}, '${randomUUID()}', '${me.memberId}', 'own', '', 1, 0)`;
      });
      await app.database.query(`insert into messages
        ("classId", seq, ordinal, id, "memberId", text, digest, "createdAt", deleted)
        values ${rows.join(',')}`);
      await app.database.query(`update classes set seq = ${to} where "classId" = '${classId}'`);
    };
    await insertOwn(2, 1000);

    expect(await subscribeLightly(benSocket, classId)).toMatchObject({ unread: 1 });

    await insertOwn(1001, 1001);
    expect(await subscribeLightly(benSocket, classId)).toMatchObject({ unread: 0 });
  });

  test('a light subscription learns read positions from other devices, and each one ends with the membership [WIRE-42, LIST-14, LEAVE-8]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const laptop = await ben.connectTo(classId);
    const phone = await ben.connect();
    await ada.post(classId, 'one');
    await subscribeLightly(phone, classId);
    laptop.send({ type: 'read', classId, seq: 1 });

    expect(await phone.waitFor('read')).toEqual({ type: 'read', classId, seq: 1 });

    // A light subscription reads nothing and does not type.
    phone.send({ type: 'read', classId, seq: 0, back: true });
    phone.send({ type: 'typing', classId });
    expect(await subscribeLightly(phone, classId)).toMatchObject({ readSeq: 1 });
    expect(laptop.frames.some(({ type }) => type === 'read' || type === 'typing')).toBe(false);

    await ben.leave(classId);
    for (const socket of [phone, laptop]) {
      expect(await socket.waitFor('reset')).toMatchObject({ classId, reason: 'left' });
    }

    await ada.post(classId, 'two');
    await phone.request({});
    expect(listActivities(phone)).toEqual([]);
    expect(await laptop.post(classId, 'too late')).toMatchObject({ code: 'NOT_FOUND' });
    expect(JSON.stringify(laptop.frames)).not.toContain('two');

    const ownRid = ++rid;
    phone.send({ type: 'subscribe', rid: ownRid, classId, light: true });
    expect(await phone.waitForReply(ownRid)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a full subscription replaces a light one, and the reverse [WIRE-42]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const phone = await ben.connect();
    await subscribeLightly(phone, classId);
    await phone.subscribe(classId);
    await ada.post(classId, 'one');
    await phone.waitFor('events');
    await subscribeLightly(phone, classId);
    await ada.post(classId, 'two');
    await phone.waitFor('activity');
    const types = phone.frames.map(({ type }) => type);

    expect(types.filter((type) => type === 'events' || type === 'activity')).toEqual([
      'events',
      'activity',
    ]);
  });
});

describe('two devices', () => {
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());

  test('two devices count the same unread messages as the server after random actions [LIST-10, LIST-20, WIRE-40, WIRE-42, MENTION-11]', async () => {
    const random = createRandom(process.env['FUZZ_SEED'] ?? 5);
    const { ada, ben, classId: first } = await createClassWithTwoMembers(app);
    const classIds = [first, await ada.createClass(), await ada.createClass()];
    for (const classId of classIds.slice(1)) await ben.join(classId);
    const adaSocket = await ada.connect();
    const benSocket = await ben.connect();
    const mentions = new Map<string, string>();
    for (const classId of classIds) {
      await benSocket.post(classId, 'here I am');
      const { me } = await ben.snapshot(classId);
      mentions.set(classId, toMentionToken(me.memberId));
    }
    const postedIds = new Map<string, Map<string, boolean>>();
    for (const classId of classIds) postedIds.set(classId, new Map());
    const devices = [openDevice(ben), openDevice(ben)];
    for (const { live } of devices) live.follow(classIds);
    // The other class stays light on both devices.
    const open = (n: number) => classIds[n === 2 ? 0 : n]!;

    async function countOnServer(classId: string) {
      const { me, messages } = await ben.snapshot(classId);
      const unread = messages.filter(
        ({ seq, memberId }) => seq > me.readSeq && memberId !== me.memberId,
      );
      const mentioning = unread.filter(({ text }) => text.includes(mentions.get(classId)!));
      return { count: unread.length, mentions: mentioning.length };
    }

    await vi.waitFor(async () => {
      for (const { live } of devices) expect(live.connection.getSnapshot()).toBe('online');
      for (const classId of classIds) await countOnServer(classId);
    });
    for (let round = 0; round < 12; round++) {
      for (let n = 0; n < 8; n++) {
        const classId = random.pick(classIds);
        const ids = postedIds.get(classId)!;
        const device = random.pick(devices);
        const shownId = open(random.int(0, 2));
        const action = random.pick([
          'post',
          'post',
          'mention',
          'edit',
          'rename',
          'own',
          'delete',
          'read',
          'back',
          'drop',
          'pause',
        ]);
        if (action === 'post') ids.set((await adaSocket.post(classId, 'x')).id, true);
        if (action === 'mention') {
          ids.set((await adaSocket.post(classId, `Hi ${mentions.get(classId)}`)).id, true);
        }
        if (action === 'edit' && ids.size > 0) {
          const messageId = random.pick([...ids.keys()]);
          const text = random.pick([`x ${rid++}`, `x ${rid++} ${mentions.get(classId)}`]);
          await adaSocket.request({ type: 'edit', classId, messageId, text });
        }
        if (action === 'rename') {
          const body = { anonymousName: `Owl ${rid++}` };
          await ben.call('changePersona', { params: { classId }, body });
        }
        if (action === 'own') await benSocket.post(classId, 'mine');
        if (action === 'delete' && ids.size > 0) {
          const messageId = random.pick([...ids.keys()]);
          ids.delete(messageId);
          await adaSocket.request({ type: 'delete', classId, messageId });
        }
        if (action === 'read') device.live.room(shownId).markRead();
        if (action === 'back') {
          const room = device.live.room(shownId);
          const message = room.getSnapshot().messages.findLast(({ seq }) => seq !== null);
          if (message) room.markUnreadFrom(message.id);
        }
        if (action === 'drop') device.drop();
        if (action === 'pause') await sleep(50);
      }
      await vi.waitFor(
        async () => {
          for (const classId of classIds) {
            const expectedCount = await countOnServer(classId);
            const counts = devices.map(({ live }) => {
              const { count, mentions: mentioning } = live.unread(classId).getSnapshot();
              return { count, mentions: mentioning };
            });
            expect({ round, counts }).toEqual({ round, counts: devices.map(() => expectedCount) });
          }
        },
        { timeout: 8000, interval: 100 },
      );
    }
    for (const { live } of devices) live.close();
  }, 120_000);
});
