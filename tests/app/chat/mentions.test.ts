// Mentions of members: their rows, their counts, and the notices of them.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { accountExportSchema } from '#contract/account.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { createRandom } from '#tests/support/random.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
let rid = 5_000_000;

async function rename(student: TestClient, classId: string, anonymousName: string) {
  const { persona } = await student.call('changePersona', {
    params: { classId },
    body: { anonymousName },
  });
  return persona;
}

async function countUnread(socket: TestSocket, classId: string) {
  const ownRid = ++rid;
  socket.send({ type: 'subscribe', rid: ownRid, classId, light: true });
  const { unread, mentions } = await socket.waitFor('unread', (frame) => frame.rid === ownRid);
  return { unread, mentions };
}

/** @returns a text `seq memberId` for each row of the class */
async function listRows(classId: string): Promise<string[]> {
  const { mentions } = await app.database.tables();
  return mentions!
    .filter((row) => row['classId'] === classId)
    .map(({ seq, memberId }) => `${String(seq)} ${String(memberId)}`)
    .toSorted();
}

/** Creates a class with Ada and Ben, who has a name but no message. */
async function createAdaAndOwl() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const owl = await rename(ben, classId, 'Calm Owl');
  const adaSocket = await ada.connectTo(classId);
  const benSocket = await ben.connect();
  return { ada, ben, classId, owl, mention: toMentionToken(owl.memberId), adaSocket, benSocket };
}

describe('a message that mentions a member', () => {
  test('a message always comes with the personas of the members whom it mentions or quotes [MENTION-8, LOG-6]', async () => {
    const { ada, ben, classId, owl, mention, adaSocket } = await createAdaAndOwl();
    const { epoch, seq } = await adaSocket.subscribe(classId);
    const { id } = await adaSocket.post(classId, `Hello ${mention}`);

    const live = await adaSocket.waitFor('events', ({ items }) => items[0]?.kind === 'posted');

    expect(live.items[0]).toMatchObject({ message: { text: `Hello ${mention}` }, personas: [owl] });

    await adaSocket.request({ type: 'post', classId, id: randomUUID(), text: 'yes', replyTo: id });
    const reply = await adaSocket.waitFor('events', ({ items }) => {
      return items[0]?.kind === 'posted' && items[0].message.replyTo === id;
    });
    const adaPersona = (await ada.snapshot(classId)).personas.find(
      ({ memberId }) => memberId !== owl.memberId,
    );
    expect(reply.items[0]).toMatchObject({ personas: [adaPersona, owl] });

    await adaSocket.request({ type: 'edit', classId, messageId: id, text: `Bye ${mention}` });
    const edited = await adaSocket.waitFor('events', ({ items }) => items[0]?.kind === 'edited');
    expect(edited.items[0]).toMatchObject({ personas: [owl] });

    const snapshot = await ada.snapshot(classId);
    expect(snapshot.personas).toContainEqual(owl);

    const params = { classId };
    const page = await ada.call('listMessages', { params, query: {} });
    expect(page.personas).toContainEqual(owl);

    const returningSocket = await ben.connect();
    returningSocket.send({ type: 'subscribe', rid: 1, classId, epoch, after: seq });
    const { items } = await returningSocket.waitFor('events');
    expect(items.map((item) => [item.kind, 'personas' in item && item.personas])).toEqual([
      ['posted', [owl]],
      ['posted', [adaPersona, owl]],
      ['edited', [owl]],
    ]);
  });

  test('a light subscription counts up to fifty unread mentions and follows edits and deletions [MENTION-11]', async () => {
    const { ada, classId, mention, adaSocket, benSocket } = await createAdaAndOwl();
    const reading = await ada.connect();

    expect(await countUnread(benSocket, classId)).toEqual({ unread: 0, mentions: 0 });

    const { id } = await adaSocket.post(classId, `${mention} and ${mention}`);
    expect(await benSocket.waitFor('activity')).toMatchObject({ posted: 1, mentions: 1 });

    await adaSocket.post(classId, 'hello all');
    expect(await countUnread(benSocket, classId)).toEqual({ unread: 2, mentions: 1 });

    await adaSocket.request({ type: 'edit', classId, messageId: id, text: 'nobody' });
    await benSocket.waitFor('activity', ({ recount }) => recount === true);
    expect(await countUnread(benSocket, classId)).toEqual({ unread: 2, mentions: 0 });

    await adaSocket.request({ type: 'edit', classId, messageId: id, text: mention });
    expect(await countUnread(benSocket, classId)).toEqual({ unread: 2, mentions: 1 });

    await adaSocket.request({ type: 'delete', classId, messageId: id });
    expect(await countUnread(benSocket, classId)).toEqual({ unread: 1, mentions: 0 });

    for (let n = 0; n < 52; n++) await adaSocket.post(classId, mention);
    expect(await countUnread(benSocket, classId)).toEqual({ unread: 50, mentions: 50 });
    expect(await countUnread(reading, classId)).toEqual({ unread: 0, mentions: 0 });
  });

  test('a mention is read on all devices, and unread again after a step back [MENTION-11, LIST-20]', async () => {
    const { ben, classId, mention, adaSocket, benSocket } = await createAdaAndOwl();
    await countUnread(benSocket, classId);
    await adaSocket.post(classId, mention);
    const laptop = await ben.connectTo(classId);
    laptop.send({ type: 'read', classId, seq: 2 });
    await benSocket.waitFor('read');

    expect(await countUnread(benSocket, classId)).toEqual({ unread: 0, mentions: 0 });

    laptop.send({ type: 'read', classId, seq: 1, back: true });
    await benSocket.waitFor('read', ({ seq }) => seq === 1);
    expect(await countUnread(benSocket, classId)).toEqual({ unread: 1, mentions: 1 });
  });

  test('a message mentions neither its author nor unknown members nor escaped tokens [MENTION-4, MENTION-2]', async () => {
    const { ada, classId, owl, mention, adaSocket, benSocket } = await createAdaAndOwl();
    const { me } = await ada.snapshot(classId);
    const texts = [
      toMentionToken('x'.repeat(16)),
      toMentionToken(me.memberId),
      `\\${mention}`,
      `<@${owl.memberId}`,
      `<@${owl.memberId}x>`,
      `<@ ${owl.memberId}>`,
      `<@${owl.memberId.toLowerCase().slice(0, 15)}>`,
      '<@>',
      '<@'.repeat(2000),
      toMentionToken('y'.repeat(16)).repeat(200),
      '\\'.repeat(3998) + '<@',
    ];
    await countUnread(benSocket, classId);

    for (const text of texts) {
      expect(await adaSocket.post(classId, text)).toMatchObject({ type: 'ack' });
    }
    expect(await countUnread(benSocket, classId)).toEqual({ unread: texts.length, mentions: 0 });
    expect(await listRows(classId)).toEqual([]);

    const { messages } = await ada.snapshot(classId);
    expect(messages.map(({ text }) => text)).toEqual(texts);
    const activities = benSocket.frames.filter((frame) => frame.type === 'activity');
    expect(activities.map(({ mentions }) => mentions)).toEqual(texts.map(() => 0));
  });

  test('a message can mention twenty members, and a retry mentions no one twice [MENTION-3, SEND-6]', async () => {
    const { classId, owl, mention, adaSocket } = await createAdaAndOwl();
    const createUnknownMentions = (count: number) =>
      Array.from({ length: count }, (_, n) => toMentionToken(String(n).padStart(16, '-'))).join('');
    const id = randomUUID();

    for (let n = 0; n < 2; n++) {
      expect(await adaSocket.post(classId, createUnknownMentions(19) + mention, id)).toMatchObject({
        type: 'ack',
      });
    }
    expect(await listRows(classId)).toEqual([`2 ${owl.memberId}`]);
    const refusal = {
      code: 'TOO_MANY_MENTIONS',
      message: 'A message can mention at most 20 people. Please mention fewer.',
    };
    expect(await adaSocket.post(classId, createUnknownMentions(20) + mention)).toMatchObject(
      refusal,
    );
    const edit = { type: 'edit', classId, messageId: id, text: createUnknownMentions(21) };
    expect(await adaSocket.request(edit)).toMatchObject(refusal);
  });

  test('the search finds words but no mentioned ids, and a quote does not cut a mention [MENTION-10, CHAT-30]', async () => {
    const { ada, classId, mention, adaSocket } = await createAdaAndOwl();
    const text = `${'a'.repeat(190)} ${mention} tomorrow`;
    const { id } = await adaSocket.post(classId, text);
    const search = async (query: string) =>
      (await ada.call('searchMessages', { params: { classId }, query: { query } })).hits;

    expect(await search('tomorrow')).toMatchObject([
      { message: { text }, marks: [[text.length - 8, text.length]] },
    ]);
    expect(await search(mention.slice(2, 6).replace(/\W/g, ''))).toEqual([]);

    await adaSocket.request({ type: 'post', classId, id: randomUUID(), text: 'yes', replyTo: id });
    const { messages } = await ada.snapshot(classId);
    expect(messages.at(-1)?.quote?.text).toBe(`${'a'.repeat(190)} `);
  });

  test('the export of an account shows mentions as names [MENTION-10, PROFILE-18]', async () => {
    const { ada, ben, classId, mention, adaSocket } = await createAdaAndOwl();
    await adaSocket.post(classId, `Hi ${mention} and ${toMentionToken('x'.repeat(16))}`);
    await rename(ben, classId, 'Wise Owl');
    const file = accountExportSchema.parse(await ada.call('exportAccount', {}));

    expect(file.classes[0]?.messages.map(({ text }) => text)).toEqual([
      'Hi @Wise Owl and @deleted member',
    ]);
  });
});

interface Member {
  student: TestClient;
  memberId: string;
  socket: TestSocket;
  readSeq: number;
  isIn: boolean;
}

test('stored and counted mentions stay right after random actions [MENTION-4, MENTION-11]', async () => {
  const random = createRandom(process.env['FUZZ_SEED'] ?? 11);
  const students = [
    await app.createStudent(),
    await app.createStudent(),
    await app.createStudent(),
  ];
  const classId = await students[0]!.createClass();
  const members: Member[] = [];
  for (const [n, student] of students.entries()) {
    if (n > 0) await student.join(classId);
    const { memberId } = await rename(student, classId, `Bird ${n}`);
    members.push({ student, memberId, socket: await student.connect(), readSeq: 0, isIn: true });
  }
  let head = members.length;
  for (const member of members) {
    await member.socket.subscribe(classId);
    member.readSeq = head;
  }
  let messages: { id: string; seq: number; author: string; text: string }[] = [];
  const createText = () =>
    Array.from({ length: random.int(1, 4) }, () => {
      const mention = toMentionToken(
        random.pick([...members.map((item) => item.memberId), '-'.repeat(16)]),
      );
      return random.pick(['word', mention, `\\${mention}`, `x${mention}y`]);
    }).join(' ') + ` ${++rid}`;
  const isMentioned = (text: string, memberId: string) =>
    text.replaceAll(`\\${toMentionToken(memberId)}`, '').includes(toMentionToken(memberId));

  for (let step = 0; step < 150; step++) {
    const member = random.pick(members);
    const { student, socket, memberId } = member;
    const ownMessages = messages.filter(({ author }) => author === memberId);
    const action = random.pick([
      'post',
      'post',
      'post',
      'edit',
      'delete',
      'read',
      'move',
      'rename',
    ]);
    if (action === 'move') {
      if (member.isIn) await student.leave(classId);
      else {
        await student.join(classId);
        // The first visit after joining counts everything as read.
        await socket.subscribe(classId);
        member.readSeq = head;
      }
      member.isIn = !member.isIn;
    } else if (!member.isIn) continue;
    else if (action === 'post') {
      const text = createText();
      const { id, type } = await socket.post(classId, text);
      expect(type).toBe('ack');
      messages.push({ id, seq: ++head, author: memberId, text });
    } else if (action === 'edit' && ownMessages.length > 0) {
      const message = random.pick(ownMessages);
      message.text = createText();
      const { id: messageId, text } = message;
      await socket.request({ type: 'edit', classId, messageId, text });
      head += 1;
    } else if (action === 'delete' && ownMessages.length > 0) {
      const { id: messageId } = random.pick(ownMessages);
      await socket.request({ type: 'delete', classId, messageId });
      messages = messages.filter(({ id }) => id !== messageId);
      head += 1;
    } else if (action === 'read') {
      await socket.subscribe(classId);
      member.readSeq = random.int(0, head);
      socket.send({ type: 'read', classId, seq: member.readSeq, back: true });
    } else if (action === 'rename') {
      await rename(student, classId, `Bird ${++rid}`);
      head += 1;
    }
    if (!member.isIn) continue;
    const unread = messages.filter(
      ({ seq, author }) => seq > member.readSeq && author !== memberId,
    );
    const mentions = unread.filter(({ text }) => isMentioned(text, memberId)).length;
    const expectedCounts = {
      unread: Math.min(50, unread.length),
      mentions: Math.min(50, mentions),
    };
    expect({ step, action, ...(await countUnread(socket, classId)) }).toEqual({
      step,
      action,
      ...expectedCounts,
    });
    await socket.subscribe(classId);
  }
  const expectedRows = messages.flatMap(({ seq, author, text }) =>
    members.flatMap(({ memberId }) =>
      memberId !== author && isMentioned(text, memberId) ? [`${seq} ${memberId}`] : [],
    ),
  );
  expect(expectedRows.length).toBeGreaterThan(10);
  expect(await listRows(classId)).toEqual(expectedRows.toSorted());
});
