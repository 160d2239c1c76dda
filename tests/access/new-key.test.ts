// What someone may not do, they may not do with a new server key either.
import { expect, onTestFinished, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { callNames } from '#tests/calls/calls.ts';
import { frames } from '#tests/calls/frames.ts';
import {
  entitledPeople,
  findCallOutcome,
  findFrameOutcome,
  isAboutClass,
} from '#tests/calls/outcomes.ts';
import { changeKey } from '#tests/support/change-key.ts';
import { startApp } from '#tests/support/running-app.ts';
import {
  findMessageId,
  makeCall,
  setScene,
  setUpStage,
  stageSettings,
  type Scene,
  type Stage,
} from './stage.ts';

/** Calls that need a role or a membership. */
const guardedCalls = callNames.filter(
  (name) => isAboutClass(name) || /^[/]api[/](admin|moderation)[/]/.test(routes[name].path),
);
const answeredFrames = ['subscribe', 'post', 'edit', 'delete', 'react', 'vote'] as const;

/** What people are granted although it is rejected with the old key. */
async function findGranted({ clients }: Stage, scene: Scene): Promise<string[]> {
  const granted: string[] = [];
  for (const person of entitledPeople.account) {
    const client = clients[person];
    const rejectedCalls = guardedCalls.filter(
      (name) => findCallOutcome(name, person, 'active') !== 'ok',
    );
    await Promise.all(
      rejectedCalls.map(async (name) => {
        const { ok, body } = await makeCall(name, { person, client }, scene);
        await body?.cancel();
        if (ok) granted.push(`${person}: ${name}`);
      }),
    );
    const socket = await client.connect();
    for (const type of answeredFrames) {
      if (['ack', 'room'].includes(findFrameOutcome(type, person, 'active'))) continue;
      const ids = { classId: scene.classId, messageId: findMessageId(scene, person) };
      const { rid: _, ...frame } = frames[type].frame(ids, 0);
      const reply = await socket.request(frame);
      if (reply.type !== 'nack') granted.push(`${person}: ${type}`);
    }
    socket.close();
  }
  return granted.toSorted();
}

// If the old key is lost, no account is left.
test('no one gets more rights with a new server key [HTTP-53]', async () => {
  const app = await startApp(stageSettings);
  onTestFinished(() => app.stop());
  const stage = await setUpStage(app);
  const scene = await setScene(stage, 'active');
  await changeKey(app);
  for (const person of entitledPeople.account) await stage.clients[person].signIn();
  const [row] = await app.database.query('select "memberId" from cases');

  const granted = await findGranted(stage, { ...scene, memberId: String(row!['memberId']) });

  expect(granted).toEqual([]);
});
