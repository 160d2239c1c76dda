// A right ends after a call has checked it and before the call commits. The commit must check it again: a password check or a
// long queue can lie in between.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Change } from '#server/store/changes.ts';
import type { Scope } from '#server/store/commit-locks.ts';
import { rightHolders, type RightHolder, type Scene } from '#tests/calls/facts.ts';
import {
  lateCallNames,
  lateCallSettings,
  listRightHolders,
  setUpLateCalls,
} from '#tests/calls/late-calls.ts';
import { addRole, toAccountIdSql } from '#tests/calls/scene.ts';
import { editMembers } from '#tests/support/members.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { deleteStoredRoles } from '#tests/support/roles.ts';

const gate = await vi.hoisted(async () =>
  (await import('#tests/support/commit-gate.ts')).createCommitGate(),
);
vi.mock(import('#server/store/commit-queue.ts'), async (load) => {
  const original = await load();
  class GatedCommitQueue extends original.GroupCommitQueue {
    override async write<Result>(change: Change<Result>, scope: Scope): Promise<Result> {
      await gate.pass();
      return super.write(change, scope);
    }
  }
  return { ...original, GroupCommitQueue: GatedCommitQueue };
});

const app = setUpApp(lateCallSettings);
const { setScene, prepare } = setUpLateCalls(app);
const holders = {} as Record<RightHolder, TestClient>;
const sockets = {} as Record<'member' | 'staff', TestSocket>;

beforeAll(async () => {
  for (const holder of rightHolders) {
    holders[holder] = await app.createStudent(holder);
  }
  sockets.member = await holders.member.connect();
  sockets.staff = await holders.staff.connect();
});

async function endRight(holder: RightHolder): Promise<void> {
  const { settings, query } = app.database;
  if (holder !== 'member') return deleteStoredRoles(app.database, holders[holder]);
  const [account] = await query(`select ${toAccountIdSql(app, holders[holder])} as id`);
  await editMembers(settings, scene.classId, (members) => members.delete(String(account!['id'])));
}

let scene: Scene & { ownMessageId: string };
beforeEach(async () => {
  for (const holder of ['operator', 'moderator', 'staff'] as const) await endRight(holder);
  await addRole(app, holders.operator, 'operator');
  const newScene = await setScene();
  const { classId } = newScene;
  for (const holder of ['member', 'staff'] as const) await holders[holder].join(classId);
  await addRole(app, holders.moderator, 'moderator', classId);
  await addRole(app, holders.staff, 'staff', classId);
  const { id: ownMessageId } = await sockets.member.post(classId, 'of the member');
  scene = { ...newScene, ownMessageId };
});

const refusals = { operator: 403, moderator: 403, member: 404, staff: 403 };

test('a frame stores nothing if its socket closes before the commit [LOG-95]', async () => {
  const { classId } = scene;
  const socket = await holders.member.connect();
  const text = 'from a closed socket';

  const reply = gate.endBeforeCommit(
    async () => {
      socket.close();
      await socket.closed;
      await holders.member.call('me', {});
    },
    () => socket.request({ type: 'post', classId, id: randomUUID(), text }),
  );
  await expect(reply).rejects.toThrow('closed');
  await sockets.member.post(classId, 'from an open one');

  const { messages } = await holders.member.snapshot(classId);
  expect(messages.map((message) => message.text)).not.toContain(text);
});

describe('a right that ends before the commit', () => {
  const cases = lateCallNames.flatMap((name) =>
    listRightHolders(name).map((holder) => ({ name, holder })),
  );

  test.each(cases)(
    'the call $name fails if the right of the $holder ends before its commit [MOD-92]',
    async ({ name, holder }) => {
      const call = await prepare(name, holders[holder], holder);

      const response = await gate.endBeforeCommit(() => endRight(holder), call);

      const reply = await response.text();
      expect([response.status, reply]).toEqual([
        refusals[holder],
        expect.not.stringContaining('@'),
      ]);
    },
  );

  test.each([
    ['post', 'member', () => ({ type: 'post', id: randomUUID(), text: 'too late' })],
    [
      'post as staff',
      'staff',
      () => ({ type: 'post', id: randomUUID(), text: 'late', staff: true }),
    ],
    ['edit', 'member', () => ({ type: 'edit', messageId: scene.ownMessageId, text: 'too late' })],
    ['delete', 'member', () => ({ type: 'delete', messageId: scene.ownMessageId })],
    ['react', 'member', () => ({ type: 'react', messageId: scene.messageId, emoji: '👍' })],
    ['vote', 'member', () => ({ type: 'vote', messageId: scene.messageId, voted: true })],
    ['choose', 'member', () => ({ type: 'choose', messageId: scene.messageId, choices: [0] })],
    ['answer', 'member', () => ({ type: 'answer', messageId: scene.ownMessageId, answerId: null })],
    ['done', 'staff', () => ({ type: 'done', messageId: scene.ownMessageId, done: true })],
  ] as const)(
    'the frame %s fails if the right of the %s ends before its commit [MOD-92, SEND-13]',
    async (_, holder, frame) => {
      const { classId } = scene;

      const reply = await gate.endBeforeCommit(
        () => endRight(holder),
        () => sockets[holder].request({ classId, ...frame() }),
      );

      expect(reply).toMatchObject({
        type: 'nack',
        code: holder === 'staff' ? 'NOT_ALLOWED' : 'NOT_FOUND',
      });
    },
  );
});
