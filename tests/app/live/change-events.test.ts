// A change by an operator reaches the open pages of others before the operator gets the reply.
import { beforeAll, expect, test } from 'vitest';
import type { ServerFrame } from '#contract/socket.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';

const app = setUpApp();
let operator: TestClient;
beforeAll(async () => {
  operator = await app.createStudent();
  await grantRole(app, operator, null, 'Kim');
});

interface Case {
  act(found: { email: string; classId: string }): Promise<unknown>;
  type: ServerFrame['type'];
}

const cases: Record<string, Case> = {
  announce: {
    act: () =>
      operator.call('announce', {
        body: { text: 'Tonight', classId: null, endsAt: Date.now() + 3_600_000 },
      }),
    type: 'announcements',
  },
  grantRole: {
    act: ({ email, classId }) =>
      operator.call('grantRole', { body: { email, classId, role: 'moderator', staffName: 'Lee' } }),
    type: 'moderationChanged',
  },
  endClass: {
    act: ({ classId }) => operator.call('endClass', { params: { classId } }),
    type: 'events',
  },
  deleteClass: {
    act: ({ classId }) => operator.call('deleteClass', { params: { classId } }),
    type: 'reset',
  },
};

test.each(Object.entries(cases))(
  'open pages learn of %s before the call gets its reply [ADMIN-76]',
  async (_, { act, type }) => {
    const { ben, classId } = await createClassWithTwoMembers(app);
    const socket = await ben.connect();
    await socket.subscribe(classId);
    await socket.waitFor('live');

    await act({ email: ben.email, classId });

    // Frames arrive in order, so what precedes the reply to this one was sent before.
    await socket.request({ type: 'react', classId, messageId: crypto.randomUUID(), emoji: null });
    expect(socket.frames.map((frame) => frame.type)).toContain(type);
  },
);
