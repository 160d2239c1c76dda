// The calls of questions that only staff see.
import type { privateQuestionCalls as contract } from '#contract/private-questions.ts';
import { createPrivateId } from '#tests/support/private-questions.ts';
import type { FactsOf } from './facts.ts';
import { addRole, askStaff } from './scene.ts';

export const privateQuestionCalls = {
  askPrivately: {
    but: { muted: 'MUTED' },
    in: { ended: 'CLASS_ENDED', quiet: 'READ_ONLY' },
    questionId: createPrivateId,
    body: () => ({ text: 'May I hand in late?' }),
    prepare: ({ app, otto, classId }) => addRole(app, otto, 'staff', classId).then(() => ({})),
    largest: {
      async prepare(data) {
        await data.askStaff(0);
        return { questionId: createPrivateId() };
      },
    },
    cost: { statements: 30, rowsRead: 500, rowsWritten: 50, kilobytesWritten: 200 },
    inADay: { rows: 2000, megabytes: 2 },
  },
  addPrivateTurn: {
    outcome: 'NOT_FOUND',
    but: { member: 'ok' },
    in: { quiet: { member: 'READ_ONLY' } },
    body: () => ({ text: 'By Monday', asStaff: false }),
    prepare: (scene) => askStaff(scene, scene.caller),
    largest: {
      async prepare(data) {
        const { classId, questionId } = await data.askStaff();
        return { classId, questionId, turnId: createPrivateId(), asStaff: false };
      },
    },
    cost: { statements: 30, rowsRead: 500, rowsWritten: 30, kilobytesWritten: 200 },
    inADay: { rows: 1000, megabytes: 2 },
  },
  listOwnPrivate: {
    largest: { prepare: (data) => data.askStaff() },
    cost: { statements: 20, rowsRead: 300, kilobytesSent: 40 },
  },
  listPrivateQuestions: {
    largest: {
      async prepare(data) {
        const { classId } = await data.askStaff();
        return { classId, client: data.operator };
      },
    },
    cost: { statements: 30, rowsRead: 800, kilobytesSent: 300 },
  },
  setPrivateState: {
    in: { withoutLinks: 'NOT_FOUND' },
    ownScene: 'forCall',
    body: () => ({ state: 'done' }),
    async prepare(scene) {
      const { app, caller, ben, classId } = scene;
      const asked = await askStaff(scene, ben);
      await addRole(app, caller, 'staff', classId);
      return asked;
    },
    largest: {
      async prepare(data) {
        const { classId, questionId } = await data.askStaff();
        return { classId, questionId, client: data.operator };
      },
    },
    cost: { statements: 20 },
  },
  decidePublication: {
    outcome: 'NOT_FOUND',
    but: { member: 'ok' },
    body: () => ({ agreed: true }),
    prepare: (scene) => askStaff(scene, scene.caller),
    largest: { prepare: (data) => data.askStaff() },
    cost: { statements: 20 },
    inADay: { megabytes: 4 },
  },
  // To withdraw a question that is gone changes nothing.
  withdrawPrivate: {
    ownScene: 'forCall',
    order: 'late',
    prepare: (scene) => askStaff(scene, scene.caller),
    largest: { prepare: (data) => data.askStaff() },
    cost: { statements: 20 },
    inADay: { megabytes: 4 },
  },
} satisfies FactsOf<typeof contract>;
