// Choosing a name and an icon in a class, and which people see them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallInput } from '#contract/http.ts';
import type { LiveEnd, Student } from '../../scripts/student.ts';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Change = CallInput<'changePersona'>['body'];

const change = (who: Student, classId: string, body: Change) =>
  who.call('changePersona', { params: { classId }, body });
const rename = (who: Student, classId: string, anonymousName: string) =>
  change(who, classId, { anonymousName });
const members = (who: Student, classId: string) => who.call('listMembers', { params: { classId } });

async function meet() {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  const [adaLive, benLive] = [await ada.connect(), await ben.connect()];
  const mine = (await enter(adaLive, classId)).me.memberId;
  const theirs = (await enter(benLive, classId)).me.memberId;
  return { ada, ben, classId, adaLive, benLive, mine, theirs };
}

const renamed = async (live: LiveEnd, memberId: string) => {
  const { items } = await live.frame('events', (frame) =>
    frame.items.some((one) => one.kind === 'persona' && one.persona.memberId === memberId),
  );
  return items.find((one) => one.kind === 'persona')?.persona;
};

describe('a new name and icon', () => {
  test('reach every member, apply to the history, and persist [PERSONA-3, CHAT-3, LOG-10]', async () => {
    const { ada, ben, classId, adaLive, benLive, mine } = await meet();
    await post(adaLive, classId, 'Long before');
    const icon = `${mine}.7`;
    const { persona } = await change(ada, classId, { anonymousName: ' Blue  Fox ', icon });
    expect(persona).toEqual({ memberId: mine, anonymousName: 'Blue Fox', icon });
    expect(await renamed(benLive, mine)).toEqual(persona);
    const { personas } = await ben.call('listMessages', { params: { classId }, query: {} });
    expect(personas).toEqual([persona]);
    expect((await enter(benLive, classId)).personas).toEqual([persona]);
    const again = await enter(await ada.connect(), classId);
    expect(again.me).toMatchObject(persona);
    await ada.call('leaveClass', { params: { classId } });
    expect((await enter(await ben.connect(), classId)).personas).toEqual([persona]);
    await joinClass(ada, classId);
    expect((await members(ada, classId)).me).toEqual(persona);
  });

  test('can be changed separately, and the same change twice counts once [PERSONA-3]', async () => {
    const { ada, classId, adaLive, mine } = await meet();
    await change(ada, classId, { icon: `${mine}.1` });
    const { persona } = await rename(ada, classId, 'Otter');
    expect(persona).toEqual({ memberId: mine, anonymousName: 'Otter', icon: `${mine}.1` });
    const { seq } = await enter(adaLive, classId);
    expect((await rename(ada, classId, 'Otter')).persona).toEqual(persona);
    expect((await enter(adaLive, classId)).seq).toBe(seq);
  });

  test('appear in replays of older log entries too [LOG-10, PERSONA-3]', async () => {
    const { ada, classId, benLive, mine } = await meet();
    const { epoch, seq } = await enter(benLive, classId);
    for (const name of ['First', 'Second']) await rename(ada, classId, name);
    benLive.send({ type: 'subscribe', rid: 5, classId, epoch, after: seq });
    await benLive.frame('live', ({ rid }) => rid === 5);
    const replayed = benLive.frames
      .slice(benLive.frames.findLastIndex((frame) => frame.type === 'events'))
      .flatMap((frame) => (frame.type === 'events' ? frame.items : []))
      .map((item) => item.kind === 'persona' && item.persona);
    const now = { memberId: mine, anonymousName: 'Second', icon: mine };
    expect(replayed).toEqual([now, now]);
  });

  test('are for members alone [HTTP-3, PERSONA-17]', async () => {
    const { classId } = await meet();
    const stranger = await app.newStudent();
    await expect(rename(stranger, classId, 'Spy')).rejects.toThrow('Not found');
    await expect(members(stranger, classId)).rejects.toThrow('Not found');
    await expect(rename(stranger, 'x'.repeat(16), 'Spy')).rejects.toThrow('Not found');
  });

  test('make the persona visible, without revealing when the member joined [PERSONA-5, ANON-10]', async () => {
    const { ada, ben, classId, benLive, mine } = await meet();
    expect((await members(ben, classId)).personas).toEqual([]);
    await rename(ada, classId, 'Heron');
    const persona = { memberId: mine, anonymousName: 'Heron', icon: mine };
    expect(await renamed(benLive, mine)).toEqual(persona);
    expect((await members(ben, classId)).personas).toEqual([persona]);
  });

  test('are refused with a message about the problem [PERSONA-11, PERSONA-12, PERSONA-13, PERSONA-15, PERSONA-16]', async () => {
    const { ada, classId, adaLive, theirs } = await meet();
    const { seq } = await enter(adaLive, classId);
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
    expect(await enter(adaLive, classId)).toMatchObject({
      seq,
      me: { anonymousName: 'Anonymous' },
    });
  });
});

describe('a name in a class', () => {
  test('is one member’s, whatever letters look like it [PERSONA-4, PERSONA-14]', async () => {
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

  test('stays reserved after its member left [PERSONA-4, LEAVE-9]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Gone');
    await ada.call('leaveClass', { params: { classId } });
    await expect(rename(ben, classId, 'gone')).rejects.toThrow('has this name');
  });

  test('does not affect another class [PERSONA-4, ANON-3]', async () => {
    const [one, other] = [await meet(), await meet()];
    await rename(one.ada, one.classId, 'Kestrel');
    expect((await rename(other.ben, other.classId, 'Kestrel')).persona.anonymousName).toBe(
      'Kestrel',
    );
  });

  test('can be Anonymous for any number of members, in any spelling [PERSONA-4, PERSONA-14]', async () => {
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

  test('that two members choose simultaneously goes to one, and the other gets an error [PERSONA-4]', async () => {
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

  test('contains only allowed characters, in the list too: a name, an icon, an id [ANON-1, PERSONA-17]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Wren');
    const list = await members(ben, classId);
    expect(Object.keys(list).toSorted()).toEqual(['me', 'personas']);
    for (const one of [list.me, ...list.personas]) {
      expect(Object.keys(one).toSorted()).toEqual(['anonymousName', 'icon', 'memberId']);
    }
  });
});

describe('the list of members', () => {
  test('has an order that reveals nothing, and does not show which members left [PERSONA-17, ANON-23]', async () => {
    const first = await app.newStudent();
    const classId = await newClass(first);
    const students = [first];
    for (let n = 0; n < 7; n++) {
      const student = await app.newStudent();
      await joinClass(student, classId);
      students.push(student);
    }
    for (const [n, student] of students.entries())
      await rename(student, classId, `Bird number ${'abcdefgh'[n]}`);
    const { personas } = await members(first, classId);
    const ids = personas.map(({ memberId }) => memberId);
    expect(ids).toHaveLength(8);
    expect(ids).toEqual(ids.toSorted((one, other) => (one < other ? -1 : 1)));
    await students[3]!.call('leaveClass', { params: { classId } });
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
    await app.database.query("delete from facts where name = 'nameKeys'");
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

  const third = await app.newStudent();
  await joinClass(third, classId);
  await rename(third, classId, 'Kim');
  await expect(rename(ben, classId, 'Ким')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  await expect(rename(ben, classId, 'Prof Otter')).rejects.toMatchObject({ code: 'NAME_RESERVED' });
});
