import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();

async function createRoomWithTwoMembers() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  return { ada, ben, classId, adaSocket: await ada.connect(), benSocket: await ben.connect() };
}

describe('a room', () => {
  test('a message reaches the other member immediately, under a persona [CHAT-3, CHAT-7, PERSONA-1, PERSONA-5, ANON-1]', async () => {
    const { classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    const room = await adaSocket.subscribe(classId);
    await benSocket.subscribe(classId);

    const { id, type } = await adaSocket.post(classId, '\n  Hello\n    there \n');

    expect(type).toBe('ack');

    const events = await benSocket.waitFor('events');
    const { memberId } = room.me;
    expect(events).toEqual({
      type: 'events',
      classId,
      from: 1,
      to: 1,
      lastId: events.items[0]?.id,
      items: [
        {
          kind: 'posted',
          seq: 1,
          id: expect.stringMatching(/^[\w-]{8}$/) as string,
          persona: { memberId, anonymousName: 'Anonymous', icon: memberId },
          message: {
            id,
            seq: 1,
            memberId,
            text: '  Hello\n    there',
            createdAt: expect.any(Number) as number,
            editedAt: null,
            imageUrl: null,
            storagePath: null,
            images: [],
            replyTo: null,
            quote: null,
            reactions: {},
            moderation: null,
          },
        },
      ],
    });
  });

  test('a repeated message is acknowledged again, and another one under its id is a conflict [LOG-4, LOG-30]', async () => {
    const { classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    const firstReply = await adaSocket.post(classId, 'once');

    const secondReply = await adaSocket.post(classId, 'once', firstReply.id);

    expect(secondReply).toMatchObject({ type: 'ack', seq: (firstReply as { seq?: number }).seq });
    expect(await adaSocket.post(classId, 'twice', firstReply.id)).toMatchObject({
      code: 'ID_CONFLICT',
    });
    expect(await benSocket.post(classId, 'once', firstReply.id)).toMatchObject({
      code: 'ID_CONFLICT',
    });

    const { messages } = await benSocket.subscribe(classId);
    expect(messages.map((message) => message.text)).toEqual(['once']);
  });

  test('simultaneous messages have one order without gaps for every member [LOG-1, CHAT-2]', async () => {
    const { classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    await adaSocket.subscribe(classId);
    await benSocket.subscribe(classId);
    const posts = Array.from({ length: 60 }, (_, i) =>
      (i % 2 ? adaSocket : benSocket).post(classId, `message ${i}`),
    );
    await Promise.all(posts);

    // An acknowledgement can arrive before the event of the other member's message.
    for (const socket of [adaSocket, benSocket]) {
      await socket.waitFor('events', ({ to }) => to === 60);
    }

    const listSeenItems = (socket: typeof adaSocket) =>
      socket.frames.flatMap((frame) => (frame.type === 'events' ? frame.items : []));
    const seqs = listSeenItems(adaSocket).map((item) => item.seq);
    expect(seqs).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(listSeenItems(benSocket)).toEqual(listSeenItems(adaSocket));
  });

  test('a room continues where a browser left off [LOG-6]', async () => {
    const { ben, classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    await adaSocket.post(classId, 'before');
    const { epoch, seq, lastId } = await benSocket.subscribe(classId);
    benSocket.close();
    await benSocket.closed;
    await adaSocket.post(classId, 'meanwhile 1');
    await adaSocket.post(classId, 'meanwhile 2');
    const returningSocket = await ben.connect();
    returningSocket.send({
      type: 'subscribe',
      rid: 1,
      classId,
      epoch,
      after: seq,
      afterId: lastId ?? '',
    });
    const socket = await returningSocket.waitFor('live');

    const missedEvents = await returningSocket.waitFor('events');

    expect(missedEvents.from).toBe(seq + 1);
    expect(missedEvents.to).toBe(socket.seq);
    expect(missedEvents.items.map((item) => item.kind === 'posted' && item.message.text)).toEqual([
      'meanwhile 1',
      'meanwhile 2',
    ]);
    expect(returningSocket.frames.some((frame) => frame.type === 'snapshot')).toBe(false);
  });

  test('a browser with another history gets a new snapshot [LOG-6]', async () => {
    const { classId, adaSocket } = await createRoomWithTwoMembers();
    await adaSocket.post(classId, 'hello');
    const { epoch } = await adaSocket.subscribe(classId);

    for (const [rid, heldPosition] of [
      [901, { epoch: 'another', after: 1 }],
      [902, { epoch, after: 99 }],
      [903, { epoch, after: 1, afterId: 'elsewher' }],
    ] as const) {
      adaSocket.send({ type: 'subscribe', rid, classId, ...heldPosition });
      const snapshot = await adaSocket.waitFor('snapshot', (frame) => frame.rid === rid);
      expect(snapshot.messages).toHaveLength(1);
    }
  });

  test('a room begins with its latest fifty messages and has pages of the rest [CHAT-12]', async () => {
    const { ben, classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    for (let i = 0; i < 120; i++) await adaSocket.post(classId, `n${i}`);

    const { messages, hasOlder } = await benSocket.subscribe(classId);

    expect(messages).toHaveLength(50);
    expect(hasOlder).toBe(true);
    const texts = messages.map((message) => message.text);
    let beforeSeq = messages[0]!.seq;
    for (;;) {
      const page = await ben.call('listMessages', {
        params: { classId },
        query: { before: beforeSeq },
      });
      if (page.messages.length === 0) break;
      texts.unshift(...page.messages.map((message) => message.text));
      beforeSeq = page.messages[0]!.seq;
      expect(page.personas).toHaveLength(1);
    }
    expect(texts).toEqual(Array.from({ length: 120 }, (_, i) => `n${i}`));

    const page = (limit: number) =>
      ben.call('listMessages', { params: { classId }, query: { limit } });
    expect((await page(100)).messages).toHaveLength(100);
    await expect(page(101)).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('a page of messages can lie before, after or around a message, or begin at a time [CHAT-12]', async () => {
    const { ben, classId, adaSocket } = await createRoomWithTwoMembers();
    const replies = [];
    for (let i = 0; i < 20; i++) replies.push(await adaSocket.post(classId, `n${i}`));
    const listPage = async (query: object) => {
      const page = await ben.call('listMessages', { params: { classId }, query });
      return [page.messages.map(({ text }) => text), page.hasOlder, page.hasNewer];
    };
    const { messages } = await ben.call('listMessages', { params: { classId }, query: {} });

    expect(await listPage({ before: 4, limit: 2 })).toEqual([['n1', 'n2'], true, true]);
    expect(await listPage({ limit: 2 })).toEqual([['n18', 'n19'], true, false]);
    expect(await listPage({ after: 0, limit: 2 })).toEqual([['n0', 'n1'], false, true]);
    expect(await listPage({ after: 18, limit: 2 })).toEqual([['n18', 'n19'], true, false]);
    expect(await listPage({ after: 20 })).toEqual([[], true, false]);
    expect(await listPage({ around: replies[10]!.id, limit: 4 })).toEqual([
      ['n8', 'n9', 'n10', 'n11'],
      true,
      true,
    ]);
    const sinceTime = messages[12]!.createdAt;
    const firstIndex = messages.findIndex(({ createdAt }) => createdAt >= sinceTime);
    expect(await listPage({ since: sinceTime, limit: 1 })).toEqual([
      [`n${firstIndex}`],
      true,
      true,
    ]);
    expect(await listPage({ since: 0, limit: 1 })).toEqual([['n0'], false, true]);
    expect(await listPage({ since: Date.now() + 1000 })).toEqual([[], true, false]);

    await adaSocket.request({ type: 'delete', classId, messageId: replies[10]!.id });
    await expect(listPage({ around: replies[10]!.id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(listPage({ before: 3, after: 1 })).rejects.toMatchObject({ code: 'INVALID' });
  });
});

describe('a message', () => {
  test('a reply carries the beginning of the message that it quotes [CHAT-30]', async () => {
    const { ben, classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    const source = await adaSocket.post(classId, `${'x'.repeat(199)}🎓 and more`);
    await benSocket.subscribe(classId);

    await benSocket.request({
      type: 'post',
      classId,
      id: randomUUID(),
      text: 'yes',
      replyTo: source.id,
    });

    const [live] = (await benSocket.waitFor('events')).items;
    const { messages } = await ben.call('listMessages', { params: { classId }, query: {} });
    expect(live).toMatchObject({ message: messages[1]! });
    expect(messages[1]!.quote).toEqual({
      memberId: messages[0]!.memberId,
      anonymousName: 'Anonymous',
      text: 'x'.repeat(199),
      imageCount: 0,
    });

    await adaSocket.request({ type: 'edit', classId, messageId: source.id, text: 'short' });
    expect((await ben.snapshot(classId)).messages[1]?.quote?.text).toBe('short');

    await adaSocket.request({ type: 'delete', classId, messageId: source.id });
    const { messages: laterMessages } = await ben.call('listMessages', {
      params: { classId },
      query: {},
    });
    expect(laterMessages[0]).toMatchObject({ replyTo: source.id, quote: null });
  });

  test('only the author can edit a message, and its old text is erased [SEND-15, LOG-30, DELETE-7]', async () => {
    const { classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    const { id } = await adaSocket.post(classId, 'frist');
    await benSocket.subscribe(classId);
    const edit = { type: 'edit', classId, messageId: id, text: 'first' };

    expect(await benSocket.request(edit)).toMatchObject({ code: 'NOT_YOURS_TO_EDIT' });
    expect(await adaSocket.request(edit)).toMatchObject({ type: 'ack', seq: 2 });
    expect(await adaSocket.request(edit)).toMatchObject({ type: 'ack', seq: 2 });
    expect((await benSocket.waitFor('events')).items).toMatchObject([
      { kind: 'edited', seq: 2, messageId: id, text: 'first' },
    ]);
    expect(await adaSocket.post(classId, 'frist', id)).toMatchObject({ type: 'ack', seq: 1 });
    expect(await adaSocket.post(classId, 'other', id)).toMatchObject({ type: 'ack', seq: 1 });
    expect(await benSocket.post(classId, 'frist', id)).toMatchObject({ code: 'ID_CONFLICT' });

    benSocket.send({ type: 'subscribe', rid: 77, classId, after: 0 });
    const { messages } = await benSocket.waitFor('snapshot', (frame) => frame.rid === 77);
    expect(messages).toMatchObject([{ text: 'first', editedAt: expect.any(Number) as number }]);

    // The stopping server checkpoints the -wal file into SQLite's database file.
    await app.restart();
    expect(await app.database.content()).not.toContain('frist');
  });

  test('only the author can delete a message, which erases it everywhere [DELETE-2, DELETE-4, DELETE-5, DELETE-7]', async () => {
    const { ada, classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    const { epoch } = await benSocket.subscribe(classId);
    const { id } = await adaSocket.post(classId, 'a secret slip');
    await benSocket.request({ type: 'react', classId, messageId: id, emoji: '👍' });
    const deletion = { type: 'delete', classId, messageId: id };

    expect(await benSocket.request(deletion)).toMatchObject({
      code: 'NOT_YOUR_MESSAGE',
      message: 'You can only delete your own messages.',
    });
    expect(await adaSocket.request(deletion)).toMatchObject({ type: 'ack', seq: 3 });
    expect(await adaSocket.request(deletion)).toMatchObject({ type: 'ack', seq: 3 });
    expect(await adaSocket.request({ ...deletion, messageId: randomUUID() })).toMatchObject({
      seq: 3,
    });
    expect(await adaSocket.post(classId, 'a secret slip', id)).toMatchObject({
      type: 'ack',
      seq: 1,
    });

    const returningSocket = await ada.connect();
    returningSocket.send({ type: 'subscribe', rid: 1, classId, epoch, after: 0 });
    const missedEvents = await returningSocket.waitFor('events');
    expect(missedEvents).toMatchObject({
      from: 1,
      to: 3,
      items: [{ kind: 'deleted', messageId: id }],
    });
    expect((await benSocket.subscribe(classId)).messages).toEqual([]);

    await app.restart();
    expect(await app.database.content()).not.toContain('a secret slip');
  });

  test('a message takes one reaction from each other member [REACT-1, REACT-2, REACT-5, REACT-6, REACT-7]', async () => {
    const { classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    const { id } = await adaSocket.post(classId, 'pizza?');
    const ben = (await benSocket.subscribe(classId)).me.memberId;
    const react = (emoji: unknown) => ({ type: 'react', classId, messageId: id, emoji });

    expect(await adaSocket.request(react('👍'))).toMatchObject({ code: 'OWN_REACTION' });
    expect(await benSocket.request(react('🍕'))).toMatchObject({ code: 'INVALID' });
    expect(await benSocket.request(react('👍'))).toMatchObject({ seq: 2 });
    expect(await benSocket.request(react('👍'))).toMatchObject({ seq: 2 });
    expect(await benSocket.request(react('❤️'))).toMatchObject({ seq: 3 });
    expect((await adaSocket.subscribe(classId)).messages[0]?.reactions).toEqual({ [ben]: '❤️' });
    expect(await benSocket.request(react(null))).toMatchObject({ seq: 4 });
    expect((await adaSocket.subscribe(classId)).messages[0]?.reactions).toEqual({});
    const missing = { ...react('👍'), messageId: randomUUID() };
    expect(await benSocket.request(missing)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a member', () => {
  test('the read position of a member is the same on every device [LIST-10, WIRE-40]', async () => {
    const { ben, classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    await adaSocket.post(classId, 'before the first visit');

    expect((await benSocket.subscribe(classId)).me.readSeq).toBe(1);

    for (const text of ['two', 'three', 'four']) await adaSocket.post(classId, text);
    const phone = await ben.connectTo(classId);
    benSocket.send({ type: 'read', classId, seq: 3 });
    expect(await phone.waitFor('read')).toEqual({ type: 'read', classId, seq: 3 });

    benSocket.send({ type: 'read', classId, seq: 2 });
    benSocket.send({ type: 'read', classId, seq: 99 });
    await phone.waitFor('read', (frame) => frame.seq === 4);
    benSocket.send({ type: 'read', classId, seq: 2, back: true });
    await phone.waitFor('read', (frame) => frame.seq === 2);
    expect((await ben.snapshot(classId)).me.readSeq).toBe(2);
    expect(adaSocket.frames.some((frame) => frame.type === 'read')).toBe(false);
  });

  test('a device gets its own read position back if another device has just changed it [WIRE-40]', async () => {
    const { ben, classId, adaSocket, benSocket } = await createRoomWithTwoMembers();
    await benSocket.subscribe(classId);
    for (const text of ['one', 'two', 'three']) await adaSocket.post(classId, text);
    const phone = await ben.connectTo(classId);
    benSocket.send({ type: 'read', classId, seq: 3 });
    await phone.waitFor('read', ({ seq }) => seq === 3);

    // These frames do not move the position: the phone may have sent them before it knew of seq 3.
    phone.send({ type: 'read', classId, seq: 2 });
    phone.send({ type: 'read', classId, seq: 1, back: true });
    await benSocket.waitFor('read', ({ seq }) => seq === 1);

    const readSeqs = phone.frames.flatMap((frame) => (frame.type === 'read' ? [frame.seq] : []));
    expect(readSeqs).toEqual([3, 3]);
  });
});

describe('a student who is not a member', () => {
  test('a student who rejoins has the same persona and history [JOIN-9, LEAVE-9]', async () => {
    const { ben, classId, benSocket } = await createRoomWithTwoMembers();
    await benSocket.post(classId, 'mine');
    const roomBefore = await benSocket.subscribe(classId);
    await ben.leave(classId);

    await ben.join(classId);

    const roomAfter = await benSocket.subscribe(classId);
    expect(roomAfter.me).toEqual(roomBefore.me);
    expect(roomAfter.messages).toEqual(roomBefore.messages);
  });
});

describe('an invalid frame', () => {
  test('an invalid frame whose rid no reply can carry closes the socket [HTTP-35, WIRE-3]', async () => {
    const { ada } = await createRoomWithTwoMembers();
    for (const rid of ['-1', '1.5', '9007199254740992', '1e999', '"1"', '[1]', '{}', 'true']) {
      const socket = await ada.connect();
      socket.sendText(`{"type":"post","rid":${rid}}`);
      expect(await socket.closed, rid).toBe(4002);
    }
  });

  test('an invalid frame is rejected by its rid if it has one, and otherwise closes the socket [WIRE-3]', async () => {
    const { ada, classId } = await createRoomWithTwoMembers();
    const socket = await ada.connect();
    const wrongFrames: object[] = [
      { type: 'post', classId, id: 'not a uuid', text: 'x' },
      { type: 'post', classId, id: randomUUID(), text: { toString: 'x' } },
      { type: 'post', classId, id: randomUUID(), text: 'x', memberId: 'AAAAAAAAAAAAAAAA' },
      { type: 'subscribe', classId, after: -1 },
      { type: 'become' },
    ];

    for (const frame of wrongFrames) {
      expect(await socket.request(frame)).toMatchObject({ type: 'nack', code: 'INVALID' });
    }
    for (const text of ['', 'null', '[]', '{', '{"type":"post"}', '{"rid":"1"}', '"x"']) {
      const otherSocket = await ada.connect();
      otherSocket.sendText(text);
      expect(await otherSocket.closed).toBe(4002);
    }

    socket.sendText('x'.repeat(40_000));
    expect(await socket.closed).toBe(1009);
  });

  test('an invalid message gets an error, and the room keeps working [SEND-1, SEND-4, SEND-11, LOG-86]', async () => {
    const { classId, adaSocket } = await createRoomWithTwoMembers();
    expect(await adaSocket.post(classId, ' \n\t ')).toMatchObject({ code: 'MESSAGE_EMPTY' });
    expect(await adaSocket.post(classId, 'x'.repeat(4001))).toMatchObject({
      code: 'MESSAGE_TOO_LONG',
    });
    expect(await adaSocket.post(classId, 'a\u0000b')).toMatchObject({ code: 'INVALID' });
    expect(await adaSocket.post(classId, 'a\ud800b')).toMatchObject({ code: 'INVALID' });
    expect(await adaSocket.post(classId, 'x'.repeat(4000))).toMatchObject({ type: 'ack' });

    const subscriptions = Array.from({ length: 8 }, (_, i) =>
      adaSocket.post(classId, i % 2 ? `good ${i}` : ''),
    );
    const replies = await Promise.all(subscriptions);
    expect(replies.map((reply) => reply.type)).toEqual(
      replies.map((_, i) => (i % 2 ? 'ack' : 'nack')),
    );
  });
});
