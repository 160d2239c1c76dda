// Choosing a name and an icon in a class, and which people see them.
import { describe, expect, test } from 'vitest';
import type { CallInput } from '#contract/http.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

type Change = CallInput<'changePersona'>['body'];

const change = (who: TestClient, classId: string, body: Change) =>
  who.call('changePersona', { params: { classId }, body });
const rename = (who: TestClient, classId: string, anonymousName: string) =>
  change(who, classId, { anonymousName });
const members = (who: TestClient, classId: string) =>
  who.call('listMembers', { params: { classId }, query: {} });

async function meet() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const adaSocket = await ada.connect();
  const benSocket = await ben.connect();
  const mine = (await adaSocket.subscribe(classId)).me.memberId;
  const theirs = (await benSocket.subscribe(classId)).me.memberId;
  return { ada, ben, classId, adaSocket, benSocket, mine, theirs };
}

const renamed = async (socket: TestSocket, memberId: string) => {
  const { items } = await socket.waitFor('events', (frame) =>
    frame.items.some((one) => one.kind === 'persona' && one.persona.memberId === memberId),
  );
  return items.find((one) => one.kind === 'persona')?.persona;
};

describe('a new name and icon', () => {
  test('a new name and icon reach every member, apply to the history, and persist [PERSONA-3, CHAT-3, LOG-10]', async () => {
    const { ada, ben, classId, adaSocket, benSocket, mine } = await meet();
    await adaSocket.post(classId, 'Long before');
    const icon = `${mine}.7`;
    const { persona } = await change(ada, classId, { anonymousName: ' Blue  Fox ', icon });
    expect(persona).toEqual({ memberId: mine, anonymousName: 'Blue Fox', icon });
    expect(await renamed(benSocket, mine)).toEqual(persona);
    const { personas } = await ben.call('listMessages', { params: { classId }, query: {} });
    expect(personas).toEqual([persona]);
    expect((await benSocket.subscribe(classId)).personas).toEqual([persona]);
    const again = await ada.snapshot(classId);
    expect(again.me).toMatchObject(persona);
    await ada.leave(classId);
    expect((await ben.snapshot(classId)).personas).toEqual([persona]);
    await ada.join(classId);
    expect((await members(ada, classId)).me).toEqual(persona);
  });

  test('a new name and icon can be changed separately, and the same change twice counts once [PERSONA-3]', async () => {
    const { ada, classId, adaSocket, mine } = await meet();
    await change(ada, classId, { icon: `${mine}.1` });
    const { persona } = await rename(ada, classId, 'Otter');
    expect(persona).toEqual({ memberId: mine, anonymousName: 'Otter', icon: `${mine}.1` });
    const { seq } = await adaSocket.subscribe(classId);
    expect((await rename(ada, classId, 'Otter')).persona).toEqual(persona);
    expect((await adaSocket.subscribe(classId)).seq).toBe(seq);
  });

  test('appear in replays of older log entries too [LOG-10, PERSONA-3]', async () => {
    const { ada, classId, benSocket, mine } = await meet();
    const { epoch, seq } = await benSocket.subscribe(classId);
    for (const name of ['First', 'Second']) await rename(ada, classId, name);
    benSocket.send({ type: 'subscribe', rid: 5, classId, epoch, after: seq });
    await benSocket.waitFor('live', ({ rid }) => rid === 5);
    const replayed = benSocket.frames
      .slice(benSocket.frames.findLastIndex((frame) => frame.type === 'events'))
      .flatMap((frame) => (frame.type === 'events' ? frame.items : []))
      .map((item) => item.kind === 'persona' && item.persona);
    const now = { memberId: mine, anonymousName: 'Second', icon: mine };
    expect(replayed).toEqual([now, now]);
  });

  test('a new name and icon are for members alone [HTTP-3, PERSONA-17]', async () => {
    const { classId } = await meet();
    const stranger = await app.createStudent();
    await expect(rename(stranger, classId, 'Spy')).rejects.toThrow('Not found');
    await expect(members(stranger, classId)).rejects.toThrow('Not found');
    await expect(rename(stranger, 'x'.repeat(16), 'Spy')).rejects.toThrow('Not found');
  });

  test('make the persona visible, without revealing when the member joined [PERSONA-5]', async () => {
    const { ada, ben, classId, benSocket, mine } = await meet();
    expect((await members(ben, classId)).personas).toEqual([]);
    await rename(ada, classId, 'Heron');
    const persona = { memberId: mine, anonymousName: 'Heron', icon: mine };
    expect(await renamed(benSocket, mine)).toEqual(persona);
    expect((await members(ben, classId)).personas).toEqual([persona]);
  });

  test('a new name and icon are rejected with a message about the problem [PERSONA-28, PERSONA-12, PERSONA-13, PERSONA-15, PERSONA-16]', async () => {
    const { ada, classId, adaSocket, theirs } = await meet();
    const { seq } = await adaSocket.subscribe(classId);
    for (const [body, sentence] of [
      [{ anonymousName: ' ' }, "Please enter a name, or stay 'Anonymous'."],
      [{ anonymousName: 'x'.repeat(31) }, 'A name can have at most 30 characters.'],
      [
        { anonymousName: 'a\u202eb' },
        "A name can only contain letters, digits, spaces and a few signs (. , ' - _ ! ? & # +).",
      ],
      [
        { anonymousName: 'Mоderator' },
        'This name could be mistaken for staff. Please choose another one.',
      ],
      [{ icon: theirs }, 'There is no such icon.'],
      [{ icon: 'fox' }, 'There is no such icon.'],
      [{}, 'Please choose a name or an icon.'],
    ] as [Change, string][]) {
      await expect(change(ada, classId, body), JSON.stringify(body)).rejects.toThrow(sentence);
    }
    expect(await adaSocket.subscribe(classId)).toMatchObject({
      seq,
      me: { anonymousName: 'Anonymous' },
    });
  });
});

describe('a name in a class', () => {
  test('a name in a class is one member’s, whatever letters look like it [PERSONA-4, PERSONA-14]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Bill Fox');
    for (const same of ['Bill Fox', 'BILL FOX', 'BilI Fox', 'Віll Fox', 'bill-fox', 'Ｂill Fox']) {
      await expect(rename(ben, classId, same), same).rejects.toThrow(
        'Someone in this class already has this name, or one that looks like it. Please choose another one.',
      );
    }
    // The owner may use it in every spelling. After the owner gives it up, every member may.
    expect((await rename(ada, classId, 'bill fox')).persona.anonymousName).toBe('bill fox');
    await rename(ada, classId, 'Anonymous');
    expect((await rename(ben, classId, 'Bill Fox')).persona.anonymousName).toBe('Bill Fox');
  });

  test('a name in a class stays reserved after its member left [PERSONA-4, LEAVE-9]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Gone');
    await ada.leave(classId);
    await expect(rename(ben, classId, 'gone')).rejects.toThrow('has this name');
  });

  test('a name in a class does not affect another class [PERSONA-4, ANON-3]', async () => {
    const one = await meet();
    const other = await meet();
    await rename(one.ada, one.classId, 'Kestrel');
    expect((await rename(other.ben, other.classId, 'Kestrel')).persona.anonymousName).toBe(
      'Kestrel',
    );
  });

  test('a name in a class can be Anonymous for any number of members, in any spelling [PERSONA-4, PERSONA-14]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Otter');
    await rename(ben, classId, 'Heron');
    for (const [who, typed] of [
      [ada, 'Anonymous'],
      [ben, 'аnоnymous'],
    ] as const) {
      expect((await rename(who, classId, typed)).persona.anonymousName).toBe('Anonymous');
    }
  });

  test('a name in a class that two members choose simultaneously goes to one, and the other gets an error [PERSONA-4]', async () => {
    for (let round = 0; round < 5; round++) {
      const { ada, ben, classId } = await meet();
      const outcomes = await Promise.allSettled([
        rename(ada, classId, 'Lynx'),
        rename(ben, classId, 'lynx'),
      ]);
      const lost = outcomes.filter(({ status }) => status === 'rejected');
      expect(lost).toHaveLength(1);
      expect(lost[0]).toMatchObject({ reason: { code: 'NAME_TAKEN' } });
      const names = (await members(ada, classId)).personas.map((one) => one.anonymousName);
      expect(names).toHaveLength(1);
    }
  });

  test('a name in a class contains only allowed characters, in the list too: a name, an icon, an id [ANON-1, PERSONA-17]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Wren');
    const list = await members(ben, classId);
    expect(Object.keys(list).toSorted()).toEqual(['me', 'nextAfter', 'personas']);
    for (const one of [list.me, ...list.personas]) {
      expect(Object.keys(one).toSorted()).toEqual(['anonymousName', 'icon', 'memberId']);
    }
  });
});

describe('the list of members', () => {
  test('the list of members has an order that reveals nothing, and does not show which members left [PERSONA-17, ANON-23]', async () => {
    const first = await app.createStudent();
    const classId = await first.createClass();
    const students = [first];
    for (let n = 0; n < 7; n++) {
      const student = await app.createStudent();
      await student.join(classId);
      students.push(student);
    }
    for (const [n, student] of students.entries()) {
      await rename(student, classId, `Bird number ${'abcdefgh'[n]}`);
    }
    const { personas } = await members(first, classId);
    const ids = personas.map(({ memberId }) => memberId);
    expect(ids).toHaveLength(8);
    expect(ids).toEqual(ids.toSorted((one, other) => (one < other ? -1 : 1)));
    await students[3]!.leave(classId);
    expect((await members(first, classId)).personas).toEqual(personas);
  });
});

test('names that are older than a rule change stay, and their icons can be changed [PERSONA-26]', async () => {
  const { ada, ben, classId, mine, theirs } = await meet();
  await rename(ada, classId, 'Clara');
  await rename(ben, classId, 'Otter');
  const set = (memberId: string, name: string, key: string) =>
    app.database.query(
      `update personas set "anonymousName" = '${name}', "nameKey" = '${key}' where "memberId" = '${memberId}'`,
    );
  // The old rules treated these two names as different and did not reserve titles.
  await app.restart(async () => {
    await set(mine, 'Prof Clara', 'profclara');
    await set(theirs, 'Prof Dara', 'profdara');
    await app.database.query(`delete from "serverMetadata" where name = 'nameKeys'`);
  });
  for (const [who, memberId, name] of [
    [ada, mine, 'Prof Clara'],
    [ben, theirs, 'Prof Dara'],
  ] as const) {
    const { persona } = await change(who, classId, { icon: `${memberId}.3` });
    expect(persona).toMatchObject({ anonymousName: name, icon: `${memberId}.3` });
    expect((await change(who, classId, { anonymousName: name })).persona).toEqual(persona);
  }
  const keys = (await app.database.tables())['personas']!.filter(
    (row) => row['classId'] === classId && row['nameKey'] !== null,
  );
  expect(keys).toHaveLength(1);
  expect(keys[0]!['nameKey']).toBe('profdara');

  const third = await app.createStudent();
  await third.join(classId);
  await rename(third, classId, 'Kim');
  await expect(rename(ben, classId, 'Ким')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  await expect(rename(ben, classId, 'Prof Otter')).rejects.toMatchObject({ code: 'NAME_RESERVED' });
});
