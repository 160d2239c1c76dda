// Names and icons that members choose in a class, and who sees them.
import { describe, expect, test } from 'vitest';
import type { CallInput } from '#contract/http.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

type Change = CallInput<'changePersona'>['body'];

const change = (student: TestClient, classId: string, body: Change) =>
  student.call('changePersona', { params: { classId }, body });
const rename = (student: TestClient, classId: string, anonymousName: string) =>
  change(student, classId, { anonymousName });
const listMembers = (student: TestClient, classId: string) =>
  student.call('listMembers', { params: { classId }, query: {} });

async function meet() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const adaSocket = await ada.connect();
  const benSocket = await ben.connect();
  const adaId = (await adaSocket.subscribe(classId)).me.memberId;
  const benId = (await benSocket.subscribe(classId)).me.memberId;
  return { ada, ben, classId, adaSocket, benSocket, adaId, benId };
}

const waitForPersona = async (socket: TestSocket, memberId: string) => {
  const { items } = await socket.waitFor('events', (frame) =>
    frame.items.some((item) => item.kind === 'persona' && item.persona.memberId === memberId),
  );
  return items.find((item) => item.kind === 'persona')?.persona;
};

describe('a new name and icon', () => {
  test('a new name and icon reach every member and apply to earlier messages [PERSONA-3, CHAT-3, DELETE-7]', async () => {
    const { ada, ben, classId, adaSocket, benSocket, adaId } = await meet();
    await adaSocket.post(classId, 'Long before');
    const icon = `${adaId}.7`;

    const { persona } = await change(ada, classId, { anonymousName: ' Blue  Fox ', icon });

    expect(persona).toEqual({ memberId: adaId, anonymousName: 'Blue Fox', icon });
    expect(await waitForPersona(benSocket, adaId)).toEqual(persona);

    const { personas } = await ben.call('listMessages', { params: { classId }, query: {} });
    expect(personas).toEqual([persona]);
    expect((await benSocket.subscribe(classId)).personas).toEqual([persona]);

    const snapshot = await ada.snapshot(classId);
    expect(snapshot.me).toMatchObject(persona);

    await ada.leave(classId);
    expect((await ben.snapshot(classId)).personas).toEqual([persona]);

    await ada.join(classId);
    expect((await listMembers(ada, classId)).me).toEqual(persona);
  });

  test('a name and an icon can be changed separately, and a repeated change counts once [PERSONA-3]', async () => {
    const { ada, classId, adaSocket, adaId } = await meet();
    await change(ada, classId, { icon: `${adaId}.1` });

    const { persona } = await rename(ada, classId, 'Otter');

    expect(persona).toEqual({ memberId: adaId, anonymousName: 'Otter', icon: `${adaId}.1` });

    const { seq } = await adaSocket.subscribe(classId);
    expect((await rename(ada, classId, 'Otter')).persona).toEqual(persona);
    expect((await adaSocket.subscribe(classId)).seq).toBe(seq);
  });

  test('the server rejects an invalid name or icon and says what is wrong [PERSONA-28, PERSONA-12, PERSONA-15, PERSONA-16]', async () => {
    const { ada, classId, adaSocket, benId } = await meet();
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
      [{ icon: benId }, 'There is no such icon.'],
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
  test('a name stays reserved after its member left [PERSONA-4, LEAVE-9]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Gone');
    await ada.leave(classId);

    await expect(rename(ben, classId, 'gone')).rejects.toThrow('has this name');
  });

  test('a name can be taken once in each class [PERSONA-4, ANON-3]', async () => {
    const firstClass = await meet();
    const secondClass = await meet();
    await rename(firstClass.ada, firstClass.classId, 'Kestrel');

    expect(
      (await rename(secondClass.ben, secondClass.classId, 'Kestrel')).persona.anonymousName,
    ).toBe('Kestrel');
  });

  test('any number of members can be called Anonymous, in any spelling [PERSONA-4, PERSONA-14]', async () => {
    const { ada, ben, classId } = await meet();
    await rename(ada, classId, 'Otter');
    await rename(ben, classId, 'Heron');

    for (const [student, typedName] of [
      [ada, 'Anonymous'],
      [ben, 'аnоnymous'],
    ] as const) {
      expect((await rename(student, classId, typedName)).persona.anonymousName).toBe('Anonymous');
    }
  });
});

test('a name that looks like ‘Anonymous’ with a tag is taken [PERSONA-31]', async () => {
  const { ada, classId } = await meet();

  for (const name of ['Anonymous K7', 'anonymousK7', 'Anonymous, 7', 'Аnonymous-K7']) {
    await expect(rename(ada, classId, name)).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  }
  expect((await rename(ada, classId, 'Anonymous Fox')).persona.anonymousName).toBe('Anonymous Fox');
});

test('a name that looks like that of a tile belongs to those who stay Anonymous [PERSONA-37]', async () => {
  const { ada, classId } = await meet();

  for (const name of [
    'Teal Moon',
    'tealmoon',
    'Τeal M00n',
    'Teal Moon R7',
    'Teal Moon R-7',
    'Teal Moon M 4.',
    'Rose Disc, Anonymous',
    'Rose Disc K2 Anonymous',
  ]) {
    await expect(rename(ada, classId, name)).rejects.toMatchObject({ code: 'NAME_OF_TILE' });
  }
  for (const name of ['Teal Moonlight', 'Moon', 'Teal', 'Moon Teal', 'Rosa Disc', 'Rose Pieta']) {
    expect((await rename(ada, classId, name)).persona.anonymousName).toBe(name);
  }
});

test('a name that newer rules forbid stays, and its owner can change the icon [PERSONA-14]', async () => {
  const { ada, ben, classId, adaId, benId } = await meet();
  await rename(ada, classId, 'Clara');
  await rename(ben, classId, 'Otter');
  const set = (memberId: string, name: string, key: string) =>
    app.database.query(
      `update personas set "anonymousName" = '${name}', "nameKey" = '${key}' where "memberId" = '${memberId}'`,
    );
  // The old rules treated these two names as different and did not reserve titles.
  await app.restart(async () => {
    await set(adaId, 'Prof Clara', 'profclara');
    await set(benId, 'Prof Dara', 'profdara');
    await app.database.query(`delete from "serverMetadata" where name = 'nameKeys'`);
  });

  for (const [student, memberId, name] of [
    [ada, adaId, 'Prof Clara'],
    [ben, benId, 'Prof Dara'],
  ] as const) {
    const { persona } = await change(student, classId, { icon: `${memberId}.3` });
    expect(persona).toMatchObject({ anonymousName: name, icon: `${memberId}.3` });
    expect((await change(student, classId, { anonymousName: name })).persona).toEqual(persona);
  }

  const keys = (await app.database.tables())['personas']!.filter(
    (row) => row['classId'] === classId && row['nameKey'] !== null,
  );
  expect(keys).toHaveLength(1);
  expect(keys[0]!['nameKey']).toBe('profdara');

  const thirdStudent = await app.createStudent();
  await thirdStudent.join(classId);
  await rename(thirdStudent, classId, 'Kim');

  await expect(rename(ben, classId, 'Ким')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  await expect(rename(ben, classId, 'Prof Otter')).rejects.toMatchObject({ code: 'NAME_RESERVED' });
});
