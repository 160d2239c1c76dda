// The icons with which members appear in a class.
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { toPersonaFigure, toPersonaIcon } from '#contract/persona-figure.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

const createId = () => randomBytes(12).toString('base64url');

/** An icon for each shape and hue. */
const iconsByFigure = new Map<number, string>();
while (iconsByFigure.size < 288) {
  const icon = createId();
  iconsByFigure.set(toPersonaFigure(icon), icon);
}

interface Speaker {
  memberId: string;
  icon: string;
}

const createSpeaker = (figure: number): Speaker => ({
  memberId: createId(),
  icon: iconsByFigure.get(figure)!,
});

async function addSpeakers(classId: string, speakers: readonly Speaker[]): Promise<void> {
  const rows = speakers.map(
    ({ memberId, icon }) => `('${classId}', '${memberId}', 'Anonymous', '${icon}')`,
  );
  await app.database.query(
    `insert into personas ("classId", "memberId", "anonymousName", icon) values ${rows.join(',')}`,
  );
}

/** Ben, who has not appeared yet, in a class in which others have the looks of his first three icons. */
async function meetTakenLooks() {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const adaSocket = await ada.connectTo(classId);
  const { id: messageId } = await adaSocket.post(classId, 'Hello');
  const benSocket = await ben.connect();
  const { memberId } = (await benSocket.subscribe(classId)).me;
  const icons = Array.from({ length: 30 }, (_, n) => toPersonaIcon(memberId, n));
  const takenFigures = icons.slice(0, 3).map(toPersonaFigure);
  await addSpeakers(classId, takenFigures.map(createSpeaker));
  const { icon: adaIcon } = (await adaSocket.subscribe(classId)).me;
  takenFigures.push(toPersonaFigure(adaIcon));
  const freeIcon = icons.find((icon) => !takenFigures.includes(toPersonaFigure(icon)));
  const findShownIcon = async () => {
    const { personas } = await ada.call('listMembers', { params: { classId }, query: {} });
    return personas.find((persona) => persona.memberId === memberId)?.icon;
  };
  return { ben, classId, adaSocket, benSocket, memberId, messageId, freeIcon, findShownIcon };
}

test('A member appears with an icon whose shape and hue no one in the class has [PERSONA-30]', async () => {
  const { classId, adaSocket, benSocket, memberId, freeIcon } = await meetTakenLooks();

  await benSocket.post(classId, 'My first');

  const persona = { memberId, anonymousName: 'Anonymous', icon: freeIcon };
  const { items } = await benSocket.waitFor('events');
  expect(items[0]).toMatchObject({ kind: 'posted', persona });
  expect((await benSocket.subscribe(classId)).me).toMatchObject(persona);
  expect((await adaSocket.subscribe(classId)).personas).toContainEqual(persona);
});

test('A newcomer alone learns the icon before the first message [PERSONA-30, PERSONA-5]', async () => {
  const { adaSocket, benSocket, classId, memberId, freeIcon, findShownIcon } =
    await meetTakenLooks();

  expect((await benSocket.subscribe(classId)).me.icon).toBe(freeIcon);

  expect(await findShownIcon()).toBeUndefined();
  expect((await adaSocket.subscribe(classId)).personas).not.toContainEqual(
    expect.objectContaining({ memberId }),
  );
});

test('A newcomer appears with the icon that the browser chose [PERSONA-30]', async () => {
  const { benSocket, classId, memberId, messageId, findShownIcon } = await meetTakenLooks();

  await benSocket.request({ type: 'react', classId, messageId, emoji: '👍', icon: 7 });

  expect(await findShownIcon()).toBe(toPersonaIcon(memberId, 7));
  await benSocket.request({ type: 'post', classId, id: randomUUID(), text: 'Hello', icon: 8 });
  expect(await findShownIcon()).toBe(toPersonaIcon(memberId, 7));
});

test('A member who reacts first gets a free look, and keeps it with the first message [PERSONA-30]', async () => {
  const { classId, benSocket, messageId, freeIcon, findShownIcon } = await meetTakenLooks();

  await benSocket.request({ type: 'react', classId, messageId, emoji: '👍' });

  expect(await findShownIcon()).toBe(freeIcon);
  await benSocket.post(classId, 'My first');
  expect(await findShownIcon()).toBe(freeIcon);
});

test('A new name comes with a free look, and a chosen icon stays as it was chosen [PERSONA-30, PERSONA-16]', async () => {
  const { ben, classId, memberId, freeIcon, findShownIcon } = await meetTakenLooks();
  const changePersona = (body: { anonymousName?: string; icon?: string }) =>
    ben.call('changePersona', { params: { classId }, body });

  expect((await changePersona({ anonymousName: 'Otter' })).persona.icon).toBe(freeIcon);

  const takenIcon = toPersonaIcon(memberId, 1);
  expect((await changePersona({ icon: takenIcon })).persona.icon).toBe(takenIcon);
  expect(await findShownIcon()).toBe(takenIcon);
});
