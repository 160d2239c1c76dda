import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function twoInARoom() {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  return { ada, ben, classId, adaLive: await ada.connect(), benLive: await ben.connect() };
}

describe('a room', () => {
  test('shows a message to the other member immediately, under a persona [CHAT-3, CHAT-7, PERSONA-2, PERSONA-5, ANON-1]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    const mine = await enter(adaLive, classId);
    await enter(benLive, classId);
    const { id, type } = await post(adaLive, classId, '  Hello there \n');
    expect(type).toBe('ack');
    const events = await benLive.frame('events');
    const { memberId } = mine.me;
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
            text: 'Hello there',
            createdAt: expect.any(Number) as number,
            editedAt: null,
            imageUrl: null,
            storagePath: null,
            image: null,
            replyTo: null,
            reactions: {},
          },
        },
      ],
    });
  });

  test('is the same after a restart [LOG-3]', async () => {
    const { ada, ben, classId, adaLive } = await twoInARoom();
    for (const text of ['one', 'two', 'three']) await post(adaLive, classId, text);
    const before = await enter(adaLive, classId);
    await app.restart();
    const after = await enter(await ada.connect(), classId);
    expect({ ...after, rid: 0 }).toEqual({ ...before, rid: 0 });
    const other = await enter(await ben.connect(), classId);
    expect(other.messages.map((message) => message.text)).toEqual(['one', 'two', 'three']);
    expect(other.epoch).toBe(before.epoch);
  });

  test('repeats the acknowledgement for the same message, and refuses a different one under its id [LOG-4, LOG-30]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    const first = await post(adaLive, classId, 'once');
    const again = await post(adaLive, classId, 'once', first.id);
    expect(again).toMatchObject({ type: 'ack', seq: (first as { seq?: number }).seq });
    expect(await post(adaLive, classId, 'twice', first.id)).toMatchObject({ code: 'ID_CONFLICT' });
    expect(await post(benLive, classId, 'once', first.id)).toMatchObject({ code: 'ID_CONFLICT' });
    const { messages } = await enter(benLive, classId);
    expect(messages.map((message) => message.text)).toEqual(['once']);
  });

  test('numbers simultaneous messages without gaps, and every member gets them in the same order [LOG-1, CHAT-2]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    await enter(adaLive, classId);
    await enter(benLive, classId);
    const posts = Array.from({ length: 60 }, (_, i) =>
      post(i % 2 ? adaLive : benLive, classId, `message ${i}`),
    );
    await Promise.all(posts);
    // An acknowledgement can arrive before the event of the other member's message.
    for (const live of [adaLive, benLive]) await live.frame('events', ({ to }) => to === 60);
    const seen = (live: typeof adaLive) =>
      live.frames.flatMap((frame) => (frame.type === 'events' ? frame.items : []));
    const seqs = seen(adaLive).map((item) => item.seq);
    expect(seqs).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(seen(benLive)).toEqual(seen(adaLive));
  });

  test('continues where a browser left off [LOG-6]', async () => {
    const { ben, classId, adaLive, benLive } = await twoInARoom();
    await post(adaLive, classId, 'before');
    const { epoch, seq, lastId } = await enter(benLive, classId);
    benLive.close();
    await benLive.closed;
    await post(adaLive, classId, 'meanwhile 1');
    await post(adaLive, classId, 'meanwhile 2');
    const back = await ben.connect();
    back.send({ type: 'subscribe', rid: 1, classId, epoch, after: seq, afterId: lastId ?? '' });
    const live = await back.frame('live');
    const missed = await back.frame('events');
    expect(missed.from).toBe(seq + 1);
    expect(missed.to).toBe(live.seq);
    expect(missed.items.map((item) => item.kind === 'posted' && item.message.text)).toEqual([
      'meanwhile 1',
      'meanwhile 2',
    ]);
    expect(back.frames.some((frame) => frame.type === 'snapshot')).toBe(false);
  });

  test('sends a new snapshot to a browser with another epoch, an unknown seq or another history [LOG-7]', async () => {
    const { classId, adaLive } = await twoInARoom();
    await post(adaLive, classId, 'hello');
    const { epoch } = await enter(adaLive, classId);
    for (const [rid, held] of [
      [901, { epoch: 'another', after: 1 }],
      [902, { epoch, after: 99 }],
      [903, { epoch, after: 1, afterId: 'elsewher' }],
    ] as const) {
      adaLive.send({ type: 'subscribe', rid, classId, ...held });
      const snapshot = await adaLive.frame('snapshot', (frame) => frame.rid === rid);
      expect(snapshot.messages).toHaveLength(1);
    }
  });

  test('shows its latest fifty messages and pages back through the rest [CHAT-12]', async () => {
    const { ben, classId, adaLive, benLive } = await twoInARoom();
    for (let i = 0; i < 120; i++) await post(adaLive, classId, `n${i}`);
    const { messages, hasOlder } = await enter(benLive, classId);
    expect(messages).toHaveLength(50);
    expect(hasOlder).toBe(true);
    const texts = messages.map((message) => message.text);
    let before = messages[0]!.seq;
    for (;;) {
      const page = await ben.call('listMessages', { params: { classId }, query: { before } });
      if (page.messages.length === 0) break;
      texts.unshift(...page.messages.map((message) => message.text));
      before = page.messages[0]!.seq;
      expect(page.personas).toHaveLength(1);
    }
    expect(texts).toEqual(Array.from({ length: 120 }, (_, i) => `n${i}`));

    const page = (limit: number) =>
      ben.call('listMessages', { params: { classId }, query: { limit } });
    expect((await page(100)).messages).toHaveLength(100);
    await expect(page(101)).rejects.toMatchObject({ code: 'INVALID' });
  });
});

describe('a message', () => {
  test('can be edited only by its author, and the old text is gone [SEND-15, LOG-30, LOG-10]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    const { id } = await post(adaLive, classId, 'frist');
    await enter(benLive, classId);
    const edit = { type: 'edit', classId, messageId: id, text: 'first' };
    expect(await ask(benLive, edit)).toMatchObject({ code: 'NOT_YOURS_TO_EDIT' });
    expect(await ask(adaLive, edit)).toMatchObject({ type: 'ack', seq: 2 });
    expect(await ask(adaLive, edit)).toMatchObject({ type: 'ack', seq: 2 });
    expect((await benLive.frame('events')).items).toMatchObject([
      { kind: 'edited', seq: 2, messageId: id, text: 'first' },
    ]);
    expect(await post(adaLive, classId, 'frist', id)).toMatchObject({ type: 'ack', seq: 1 });
    expect(await post(adaLive, classId, 'other', id)).toMatchObject({ type: 'ack', seq: 1 });
    expect(await post(benLive, classId, 'frist', id)).toMatchObject({ code: 'ID_CONFLICT' });
    benLive.send({ type: 'subscribe', rid: 77, classId, after: 0 });
    const { messages } = await benLive.frame('snapshot', (frame) => frame.rid === 77);
    expect(messages).toMatchObject([{ text: 'first', editedAt: expect.any(Number) as number }]);
    // At its end the server checkpoints the -wal file into SQLite's database file.
    await app.restart();
    expect(await app.database.content()).not.toContain('frist');
  });

  test('can be deleted only by its author, once, and is then erased everywhere [DELETE-3, DELETE-4, DELETE-5, DELETE-7]', async () => {
    const { ada, classId, adaLive, benLive } = await twoInARoom();
    const { epoch } = await enter(benLive, classId);
    const { id } = await post(adaLive, classId, 'a secret slip');
    await ask(benLive, { type: 'react', classId, messageId: id, emoji: '👍' });
    const deletion = { type: 'delete', classId, messageId: id };
    expect(await ask(benLive, deletion)).toMatchObject({
      code: 'NOT_YOUR_MESSAGE',
      message: 'You can only delete your own messages.',
    });
    expect(await ask(adaLive, deletion)).toMatchObject({ type: 'ack', seq: 3 });
    expect(await ask(adaLive, deletion)).toMatchObject({ type: 'ack', seq: 3 });
    expect(await ask(adaLive, { ...deletion, messageId: randomUUID() })).toMatchObject({ seq: 3 });
    expect(await post(adaLive, classId, 'a secret slip', id)).toMatchObject({
      type: 'ack',
      seq: 1,
    });
    const back = await ada.connect();
    back.send({ type: 'subscribe', rid: 1, classId, epoch, after: 0 });
    const missed = await back.frame('events');
    expect(missed).toMatchObject({ from: 1, to: 3, items: [{ kind: 'deleted', messageId: id }] });
    expect((await enter(benLive, classId)).messages).toEqual([]);
    await app.restart();
    expect(await app.database.content()).not.toContain('a secret slip');
  });

  test('takes one reaction from each other member [REACT-1, REACT-3, REACT-4, REACT-5, REACT-6, REACT-7]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    const { id } = await post(adaLive, classId, 'pizza?');
    const ben = (await enter(benLive, classId)).me.memberId;
    const react = (emoji: unknown) => ({ type: 'react', classId, messageId: id, emoji });
    expect(await ask(adaLive, react('👍'))).toMatchObject({ code: 'OWN_REACTION' });
    expect(await ask(benLive, react('🍕'))).toMatchObject({ code: 'INVALID' });
    expect(await ask(benLive, react('👍'))).toMatchObject({ seq: 2 });
    expect(await ask(benLive, react('👍'))).toMatchObject({ seq: 2 });
    expect(await ask(benLive, react('❤️'))).toMatchObject({ seq: 3 });
    expect((await enter(adaLive, classId)).messages[0]?.reactions).toEqual({ [ben]: '❤️' });
    expect(await ask(benLive, react(null))).toMatchObject({ seq: 4 });
    expect((await enter(adaLive, classId)).messages[0]?.reactions).toEqual({});
    const missing = { ...react('👍'), messageId: randomUUID() };
    expect(await ask(benLive, missing)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('can answer another message of the same class [SEND-14]', async () => {
    const { ada, classId, adaLive } = await twoInARoom();
    const { id } = await post(adaLive, classId, 'a question');
    const answer = { type: 'post', classId, id: randomUUID(), text: 'an answer', replyTo: id };
    expect(await ask(adaLive, answer)).toMatchObject({ type: 'ack' });
    expect((await enter(adaLive, classId)).messages[1]).toMatchObject({ replyTo: id });
    const elsewhere = { ...answer, id: randomUUID(), classId: await newClass(ada) };
    expect(await ask(adaLive, elsewhere)).toMatchObject({ code: 'NOT_FOUND' });
    await ask(adaLive, { type: 'delete', classId, messageId: id });
    const late = { ...answer, id: randomUUID() };
    expect(await ask(adaLive, late)).toMatchObject({ type: 'ack' });
  });
});

describe('a member', () => {
  test('sees that another member is typing, and not who [WIRE-12]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    await enter(adaLive, classId);
    await enter(benLive, classId);
    adaLive.send({ type: 'typing', classId });
    expect(await benLive.frame('typing')).toEqual({ type: 'typing', classId });
    expect(adaLive.frames.some((frame) => frame.type === 'typing')).toBe(false);
  });

  test('gets the read position back, once the class has seen the persona [ANON-10]', async () => {
    const { classId, adaLive, benLive } = await twoInARoom();
    await post(adaLive, classId, 'one');
    await post(benLive, classId, 'two');
    await post(adaLive, classId, 'three');
    benLive.send({ type: 'read', classId, seq: 2 });
    benLive.send({ type: 'read', classId, seq: 1 });
    await post(benLive, classId, 'four');
    expect((await enter(benLive, classId)).me.readSeq).toBe(2);
  });

  test('keeps the read position through a restart, and reading changes no row [ANON-29]', async () => {
    const { ben, classId, adaLive, benLive } = await twoInARoom();
    await post(benLive, classId, 'one');
    await post(adaLive, classId, 'two');
    const { seq } = await enter(benLive, classId);
    const personas = async () => (await app.database.tables())['personas'];
    const before = await personas();
    benLive.send({ type: 'read', classId, seq });
    await post(benLive, classId, 'three');
    expect((await enter(benLive, classId)).me.readSeq).toBe(seq);
    expect(await personas()).toEqual(before);
    await app.restart();
    expect((await enter(await ben.connect(), classId)).me.readSeq).toBe(seq);
  });
});

describe('a student who is not a member', () => {
  test('can neither read nor write, and cannot tell whether a class exists [SEND-13, HTTP-3]', async () => {
    const { classId, adaLive } = await twoInARoom();
    await post(adaLive, classId, 'for us alone');
    const stranger = await app.newStudent();
    const live = await stranger.connect();
    for (const id of [classId, 'AAAAAAAAAAAAAAAA']) {
      const refused = { type: 'nack', code: 'NOT_FOUND' };
      expect(await ask(live, { type: 'subscribe', classId: id })).toMatchObject(refused);
      expect(await post(live, id, 'let me in')).toMatchObject({ code: 'NOT_FOUND' });
      const reading = stranger.call('listMessages', { params: { classId: id }, query: {} });
      await expect(reading).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(live.frames.some((frame) => 'classId' in frame)).toBe(false);
  });

  test('receives nothing after leaving, on any socket of the account [LEAVE-8, WIRE-11]', async () => {
    const { ben, classId, adaLive, benLive } = await twoInARoom();
    const second = await ben.connect();
    await enter(benLive, classId);
    await enter(second, classId);
    await ben.call('leaveClass', { params: { classId } });
    for (const live of [benLive, second]) {
      expect(await live.frame('reset')).toMatchObject({ classId, reason: 'left' });
      expect(await live.frame('enrolment')).toMatchObject({ classId, joined: false });
    }
    await post(adaLive, classId, 'now that he is gone');
    expect(await post(benLive, classId, 'still here?')).toMatchObject({ code: 'NOT_FOUND' });
    expect(JSON.stringify([benLive.frames, second.frames])).not.toContain('now that he is gone');
  });

  test('has the same persona and history after rejoining [JOIN-9, LEAVE-9]', async () => {
    const { ben, classId, benLive } = await twoInARoom();
    await post(benLive, classId, 'mine');
    const before = await enter(benLive, classId);
    await ben.call('leaveClass', { params: { classId } });
    await joinClass(ben, classId);
    const after = await enter(benLive, classId);
    expect(after.me).toEqual(before.me);
    expect(after.messages).toEqual(before.messages);
  });
});

describe('a session that ends', () => {
  test('closes its sockets and no others [AUTH-18, WIRE-10]', async () => {
    const { ada, benLive, adaLive } = await twoInARoom();
    await ada.call('signOut', {});
    expect(await adaLive.closed).toBe(4001);
    benLive.send({ type: 'subscribe', rid: 1, classId: 'AAAAAAAAAAAAAAAA' });
    expect(await benLive.frame('nack')).toMatchObject({ rid: 1 });
    await expect(ada.connect()).rejects.toThrow('401');
  });
});

describe('an invalid frame', () => {
  test('closes the socket but not the server if no answer can carry its rid [HTTP-35, WIRE-4]', async () => {
    const { ada } = await twoInARoom();
    for (const rid of ['-1', '1.5', '9007199254740992', '1e999', '"1"', '[1]', '{}', 'true']) {
      const live = await ada.connect();
      live.sendText(`{"type":"post","rid":${rid}}`);
      expect(await live.closed, rid).toBe(4002);
    }
  });

  test('is refused by its rid if it has one, and otherwise closes the socket [WIRE-3, WIRE-4]', async () => {
    const { ada, classId } = await twoInARoom();
    const live = await ada.connect();
    const wrong: object[] = [
      { type: 'post', classId, id: 'not a uuid', text: 'x' },
      { type: 'post', classId, id: randomUUID(), text: { toString: 'x' } },
      { type: 'post', classId, id: randomUUID(), text: 'x', memberId: 'AAAAAAAAAAAAAAAA' },
      { type: 'subscribe', classId, after: -1 },
      { type: 'become' },
    ];
    for (const frame of wrong) {
      expect(await ask(live, frame)).toMatchObject({ type: 'nack', code: 'INVALID' });
    }
    for (const text of ['', 'null', '[]', '{', '{"type":"post"}', '{"rid":"1"}', '"x"']) {
      const other = await ada.connect();
      other.sendText(text);
      expect(await other.closed).toBe(4002);
    }
    live.sendText('x'.repeat(40_000));
    expect(await live.closed).toBe(1009);
  });

  test('gets an error about the message, and the room keeps working [SEND-1, SEND-4, SEND-11, LOG-13]', async () => {
    const { classId, adaLive } = await twoInARoom();
    expect(await post(adaLive, classId, ' \n\t ')).toMatchObject({ code: 'MESSAGE_EMPTY' });
    expect(await post(adaLive, classId, 'x'.repeat(4001))).toMatchObject({
      code: 'MESSAGE_TOO_LONG',
    });
    expect(await post(adaLive, classId, 'a\u0000b')).toMatchObject({ code: 'INVALID' });
    expect(await post(adaLive, classId, 'a\ud800b')).toMatchObject({ code: 'INVALID' });
    expect(await post(adaLive, classId, 'x'.repeat(4000))).toMatchObject({ type: 'ack' });
    const many = Array.from({ length: 8 }, (_, i) =>
      post(adaLive, classId, i % 2 ? `good ${i}` : ''),
    );
    const answers = await Promise.all(many);
    expect(answers.map((answer) => answer.type)).toEqual(
      answers.map((_, i) => (i % 2 ? 'ack' : 'nack')),
    );
  });
});
