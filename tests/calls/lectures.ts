// The calls of lectures, of their waiting questions and of the hall.
import { createTestClient } from '#tests/support/test-client.ts';
import { askToWait, startLecture } from './scene.ts';
import type { lectureCalls as contract } from '#contract/lectures.ts';
import { costOfPost, type FactsOf } from './facts.ts';

/** The lecture of the class does not survive these changes. */
const withoutLecture = { ended: 'NO_LECTURE', restored: 'NO_LECTURE' } as const;

export const lectureCalls = {
  startLecture: {
    in: { ended: 'CLASS_ENDED' },
    ownScene: 'forCall',
    body: () => ({ hours: 2 }),
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 10, kilobytesSent: 50, frames: 5 },
  },
  readPreparation: {
    cost: { statements: 20, rowsRead: 20, kilobytesSent: 200 },
  },
  planLectures: {
    in: { ended: 'CLASS_ENDED' },
    ownScene: 'forCall',
    body: () => ({ timeZone: 'Europe/Berlin' }),
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 20 },
  },
  savePrepared: {
    outcome: 'NOT_ALLOWED',
    but: { staff: 'ok' },
    body: () => ({ text: 'What is due?', poll: null }),
    // Operators do not speak as staff without the role.
    async prepare({ caller, classId, right }) {
      if (right !== 'operator') return;
      const body = { email: caller.email, classId, role: 'staff', staffName: 'Prof. Ova' } as const;
      await caller.call('grantRole', { body });
    },
    largest: {
      async prepare({ operator, classId }) {
        const { email } = operator;
        const body = { email, classId, role: 'staff', staffName: 'Prof. Kim' } as const;
        await operator.call('grantRole', { body });
        return { classId };
      },
    },
    cost: { rowsRead: 30, rowsWritten: 45, kilobytesWritten: 850 },
  },
  deletePrepared: {
    ownScene: 'forCall',
    cost: { rowsRead: 30, rowsWritten: 45, kilobytesWritten: 850 },
  },
  endLecture: {
    ownScene: 'forCall',
    order: 'late',
    prepare: startLecture,
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 10, kilobytesSent: 50, frames: 5 },
  },
  holdQuestions: {
    in: withoutLecture,
    body: () => ({ held: true }),
    largest: { prepare: (data) => data.startLecture() },
    prepare: startLecture,
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 20, kilobytesSent: 50, frames: 5 },
  },
  listWaitingQuestions: {
    largest: { prepare: (data) => data.askToWait() },
    cost: { statements: 30, rowsRead: 260, kilobytesSent: 300 },
  },
  releaseQuestion: {
    in: { ...withoutLecture, quiet: 'READ_ONLY' },
    ownScene: 'forPerson',
    messageId: ({ waitingId }) => waitingId,
    body: () => ({ text: 'What is due?' }),
    largest: { prepare: (data) => data.askToWait() },
    prepare: askToWait,
    cost: { ...costOfPost, statements: 40 },
  },
  returnQuestion: {
    in: withoutLecture,
    ownScene: 'forPerson',
    messageId: ({ waitingId }) => waitingId,
    largest: { prepare: (data) => data.askToWait() },
    prepare: askToWait,
    cost: { rowsRead: 20, rowsWritten: 8, kilobytesWritten: 9 },
  },
  listOwnWaiting: {
    largest: { prepare: (data) => data.askToWait() },
    cost: { statements: 20, rowsRead: 20, kilobytesSent: 90 },
  },
  sendWaiting: {
    outcome: 'NOT_FOUND',
    but: { member: 'ok' },
    in: { ended: { member: 'CLASS_ENDED' } },
    messageId: ({ waitingId }) => waitingId,
    largest: {
      async prepare(data) {
        const { classId, messageId, text } = await data.askToWait();
        await data.operator.call('returnQuestion', { params: { classId, messageId } });
        return { messageId, text };
      },
    },
    async prepare(scene) {
      const { waitingId } = await askToWait(scene, scene.caller);
      const params = { classId: scene.classId, messageId: waitingId };
      await scene.otto.call('returnQuestion', { params });
      return { waitingId };
    },
    cost: { ...costOfPost, statements: 40 },
    inADay: { megabytes: 2 },
  },
  // To withdraw a question that is gone changes nothing.
  withdrawWaiting: {
    ownScene: 'forCall',
    messageId: ({ waitingId }) => waitingId,
    order: 'late',
    largest: { prepare: (data) => data.askToWait() },
    prepare: (scene) => askToWait(scene, scene.caller),
    cost: { rowsRead: 20, rowsWritten: 8 },
  },
  presentPoll: {
    in: withoutLecture,
    body: () => ({ messageId: null }),
    largest: {
      async prepare({ showPoll }) {
        await showPoll();
        return { messageId: null };
      },
    },
    async prepare(scene) {
      const { app, classId, messageId } = scene;
      await startLecture(scene);
      await app.database.query(
        `update "classSettings" set lecture = replace(lecture, '}', ',"pollId":"${messageId}"}')
         where "classId" = '${classId}'`,
      );
    },
    cost: { rowsRead: 30, rowsWritten: 10, kilobytesWritten: 20, kilobytesSent: 50, frames: 5 },
  },
  createPresenterLink: {
    in: withoutLecture,
    largest: { prepare: (data) => data.startLecture() },
    prepare: startLecture,
    cost: { statements: 20 },
  },
  createHallCode: {
    in: withoutLecture,
    largest: { prepare: (data) => data.startLecture() },
    prepare: startLecture,
    cost: { statements: 20 },
  },
  exchangeHallCode: {
    outcome: 'NOT_FOUND',
    body: ({ hallCode }) => ({ hallCode }),
    largest: {
      by: 'visitor',
      async prepare({ startLecture: start, operator, classId }) {
        await start();
        const { hallCode } = await operator.call('createHallCode', { params: { classId } });
        return { hallCode };
      },
      values: () => ({ hallCode: ['000000'] }),
    },
    countedRate: 'hallCodes',
    async prepare(scene) {
      await startLecture(scene);
      const params = { classId: scene.classId };
      const { hallCode } = await scene.otto.call('createHallCode', { params });
      return { hallCode };
    },
    cost: { statements: 20, rowsRead: 20 },
  },
  revokePresenterLinks: {
    ownScene: 'forCall',
    order: 'late',
    async prepare(scene) {
      await startLecture(scene);
      await scene.otto.call('createPresenterLink', { params: { classId: scene.classId } });
    },
    cost: { statements: 20 },
  },
  readPresentation: {
    in: {
      ended: 'NOT_FOUND',
      restored: 'NOT_FOUND',
    },
    largest: {
      async prepare({ showPoll, operator, classId }) {
        await showPoll();
        const { presenterToken } = await operator.call('createPresenterLink', {
          params: { classId },
        });
        const headers = { 'presenter-token': presenterToken };
        return { client: createTestClient(operator.origin, 'hall@university.edu', { headers }) };
      },
    },
    cost: { statements: 30, rowsRead: 700, kilobytesSent: 300 },
  },
  findLetteredClass: {
    outcome: 'NOT_FOUND',
    largest: {
      answer: 'NOT_FOUND',
      values: () => ({ classLetters: ['ZZZZ'] }),
    },
    cost: { statements: 20 },
  },
  listLectureQuestions: {
    largest: { prepare: (data) => data.startLecture() },
    cost: { statements: 30, rowsRead: 1100, kilobytesSent: 300 },
  },
} satisfies FactsOf<typeof contract>;
