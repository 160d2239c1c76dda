// Two accounts swap their personas. An observer must not notice a difference.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routeUrl } from '#contract/route-url.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { Student } from '../../scripts/student.ts';
import {
  ask,
  enter,
  joinClass,
  newClass,
  post,
  startApp,
  type RunningApp,
} from '../app/running-app.ts';
import { normalise, normaliseHeaders } from './transcript.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

let scenes = 0;

/** The accounts differ in every property. The scene is the same except for which account plays which role. */
async function play(swapped: boolean, text = 'I agree'): Promise<unknown[]> {
  const scene = ++scenes;
  const answers: Response[] = [];
  const early = await app.newStudent(`aaron.early${scene}`, quiet('Early Browser'));
  const owner = await app.newStudent(`owner${scene}`, quiet('Owner'));
  const observer = await app.newStudent(`observer${scene}`, {
    userAgent: 'Observer',
    async onAnswer(answer) {
      answers.push(answer);
    },
  });
  const late = await app.newStudent(`zoe.a.much.longer.name.late${scene}`, quiet('Late Browser'));
  for (const courseNumber of ['1', '2', '3']) await newClass(early, { courseNumber });
  const classId = await newClass(owner);
  for (const student of [early, observer, late]) await joinClass(student, classId);
  await early.call('leaveClass', { params: { classId } });
  await joinClass(early, classId);

  const [first, second] = swapped ? [late, early] : [early, late];
  const live = await observer.connect();
  const { me: mine, epoch, seq } = await enter(live, classId);
  const [one, two] = [await first.connect(), await second.connect()];
  const names = new Map([
    [(await enter(one, classId)).me.memberId, 'FIRST'],
    [(await enter(two, classId)).me.memberId, 'SECOND'],
    [mine.memberId, 'OBSERVER'],
    [classId, 'CLASS'],
  ]);
  const idOf = (n: number) => `0000000${n}-0000-4000-8000-000000000000`;
  const heard = (kind: string) =>
    live.frame('events', ({ items }) => items.some((item) => item.kind === kind));
  const change = (who: Student, body: { anonymousName?: string; icon?: string }) =>
    who.call('changePersona', { params: { classId }, body });
  const act = async (end: typeof one, frame: object) => {
    expect(await ask(end, { classId, ...frame })).toMatchObject({ type: 'ack' });
  };

  await post(one, classId, 'First words', idOf(1));
  await post(two, classId, text, idOf(2));
  await change(first, { anonymousName: 'Blue Fox' });
  await change(second, { icon: `${(await enter(two, classId)).me.memberId}.4` });
  await heard('persona');
  await post(one, classId, 'Regrettable', idOf(3));
  await act(one, { type: 'edit', messageId: idOf(1), text: 'First words, edited' });
  await act(two, { type: 'react', messageId: idOf(1), emoji: '👍' });
  await act(one, { type: 'delete', messageId: idOf(3) });
  await act(two, { type: 'post', id: idOf(4), text: 'An answer', replyTo: idOf(1) });
  one.send({ type: 'read', classId, seq: 3 });
  two.send({ type: 'typing', classId });
  await live.frame('typing');
  await first.call('leaveClass', { params: { classId } });
  await heard('deleted');
  live.send({ type: 'subscribe', rid: 2, classId, epoch, after: seq });
  await live.frame('live', (frame) => frame.rid === 2);
  await enter(live, classId);
  // Reads every readable resource completely.
  answers.length = 0;
  const params = { classId, key: 'default' };
  for (const name of Object.keys(routes) as RouteName[]) {
    if (routes[name].method === 'GET') await observer.fetch(routeUrl(name, { params }));
  }
  await observer.fetch('/metrics');
  const frames = live.frames.map((frame) => ({ ...(normalise(frame, names) as object), rid: 0 }));
  const bodies = [];
  for (const answer of answers) {
    // The observer's own data: their accounts differ between scenes.
    if (/\/api\/(me(\/\w+)?|classes)$/.test(answer.url)) continue;
    const body: unknown = await answer
      .text()
      .then((raw) => (raw.startsWith('{') ? JSON.parse(raw) : raw));
    bodies.push([answer.status, normaliseHeaders(answer.headers, names), normalise(body, names)]);
  }
  return [...frames, ...bodies];
}

function quiet(userAgent: string) {
  return { userAgent, onAnswer: async () => {} };
}

test('an observer’s transcripts are equal, whichever account is behind a persona [ANON-20, ANON-3]', async () => {
  const transcript = await play(false);
  expect(transcript.length).toBeGreaterThan(20);
  for (const word of ['FIRST', 'SECOND', 'Blue Fox', 'SECOND.4', 'First words, edited']) {
    expect(JSON.stringify(transcript)).toContain(word);
  }
  expect(await play(true)).toEqual(transcript);
});

test('a transcript differs by one letter where one letter differs [ANON-20]', async () => {
  const [one, other] = [await play(false, 'I agree'), await play(false, 'I agred')];
  expect(other).not.toEqual(one);
});
