// The calls of reports, cases, reviews, sanctions and the audit log.
import { addMute, addReview, reason, suspend } from './scene.ts';
import type { moderationCalls as contract } from '#contract/moderation.ts';
import type { FactsOf } from './facts.ts';

/** The cases of a class without links, because no one can tell whether a moderator is the author. */
const leftToOperators = { withoutLinks: { moderator: 'NOT_FOUND' } } as const;

export const moderationCalls = {
  readWaitingWork: { cost: { statements: 40, rowsRead: 40 } },
  listOwnDecisions: { cost: { statements: 20, rowsRead: 468, kilobytesSent: 20 } },
  listOwnSanctions: { cost: { kilobytesSent: 5 } },
  // No one has this sanction.
  appeal: {
    ownScene: 'forCall',
    outcome: 'NOT_FOUND',
    body: () => ({ text: 'It was not me' }),
    largest: {
      async prepare({ mute }) {
        const { member, sanctionId } = await mute();
        return { client: member, sanctionId };
      },
    },
    prepare: addMute,
    countedRate: 'appeals',
    cost: { statements: 12, rowsRead: 8, rowsWritten: 4, kilobytesWritten: 9 },
    inADay: { rows: 40, megabytes: 1 },
  },
  // The author may not report the own message.
  reportMember: {
    but: { author: 'OWN_REPORT' },
    body: ({ messageId }) => ({ messageId, reason: 'spam', text: 'Again and again' }),
    changedBy: 'ben',
    largest: {
      values: ({ findOthersMessage }) => ({ messageId: () => [findOthersMessage()], reason: null }),
    },
    prepare: async ({ ada, classId }) => ({
      messageId: (await ada.post(classId, 'Another threat')).id,
    }),
    countedRate: 'reports',
    cost: { rowsRead: 18, rowsWritten: 8, kilobytesWritten: 10 },
    inADay: { rows: 80, megabytes: 1, mails: 240 },
  },
  listOwnReports: { cost: { statements: 35, rowsRead: 60, kilobytesSent: 5 } },
  listCases: {
    but: { otherModerator: 'NOT_ALLOWED' },
    in: { deleted: 'ok' },
    query: ({ classId }) => ({ classId }),
    cost: { statements: 20, rowsRead: 180, kilobytesSent: 75 },
  },
  readCaseContext: {
    in: leftToOperators,
    cost: { statements: 30, rowsRead: 60, kilobytesSent: 120 },
  },
  decideCase: {
    in: leftToOperators,
    ownScene: 'forPerson',
    body: ({ caseVersion }) => ({
      version: caseVersion,
      decision: 'remove',
      reason,
      sanction: { kind: 'remove' },
      escalate: false,
    }),
    largest: {
      values: () => ({ version: [1] }),
      prepare: async ({ reportMessage, findMember }) => ({
        caseId: (await reportMessage(findMember())).caseId,
      }),
    },
    cost: { statements: 40, rowsRead: 40, kilobytesSent: 11 },
  },
  undoDecision: {
    ownScene: 'forCall',
    in: leftToOperators,
    order: 'late',
    largest: {
      async prepare({ reportMessage, author, decide }) {
        const reportedCase = await reportMessage(author);
        await decide(reportedCase, {});
        return { caseId: reportedCase.caseId };
      },
    },
    async prepare({ caller, caseId, caseVersion }) {
      const body = {
        version: caseVersion,
        decision: 'remove',
        reason,
        sanction: { kind: 'remove' },
      } as const;
      await caller.call('decideCase', { params: { caseId }, body });
    },
    cost: { statements: 40, rowsRead: 40, kilobytesSent: 9, frames: 4 },
  },
  // Operators decide escalations.
  decideReview: {
    but: { moderator: 'NOT_ALLOWED' },
    in: leftToOperators,
    ownScene: 'forCall',
    body: ({ review }) => ({ version: 1, ...review, reason }),
    largest: {
      values: () => ({ version: [1] }),
      async prepare({ secondOperator, escalate, appeal }, body) {
        const { decision } = body as { decision: string };
        const isOfEscalation = decision === 'suspend' || decision === 'dismiss';
        const reviewId = isOfEscalation ? (await escalate()).reviewId : await appeal();
        return { client: secondOperator, reviewId };
      },
    },
    prepare: addReview,
    cost: { statements: 40, rowsRead: 60, rowsWritten: 4, kilobytesSent: 9 },
  },
  undoReview: {
    but: { moderator: 'NOT_ALLOWED' },
    in: leftToOperators,
    order: 'late',
    largest: {
      async prepare({ secondOperator, escalate, reason: longReason }) {
        const { reviewId } = await escalate();
        const body = { version: 1, decision: 'dismiss', reason: longReason } as const;
        await secondOperator.call('decideReview', { params: { reviewId }, body });
        return { client: secondOperator, reviewId };
      },
    },
    async prepare(scene) {
      const { reviewId, review } = await addReview(scene);
      const body = { version: 1, ...review, reason };
      await scene.caller.call('decideReview', { params: { reviewId }, body });
      return { reviewId };
    },
    cost: { rowsRead: 25, rowsWritten: 4, kilobytesSent: 7 },
  },
  // There is no such suspension, and no such sanction.
  liftSuspension: {
    ownScene: 'forCall',
    outcome: 'NOT_FOUND',
    body: () => ({ reason }),
    largest: {
      prepare: async ({ secondOperator, suspend: suspendMember }) => ({
        client: secondOperator,
        suspensionId: await suspendMember(),
      }),
    },
    prepare: suspend,
    cost: { statements: 20, rowsRead: 20, rowsWritten: 4, kilobytesWritten: 10 },
  },
  readModeratedMember: { cost: { statements: 16, rowsRead: 15 } },
  liftSanction: {
    ownScene: 'forCall',
    outcome: 'NOT_FOUND',
    in: { withoutLinks: { moderator: 'NOT_ALLOWED' } },
    body: () => ({ reason }),
    largest: {
      async prepare({ mute }) {
        const { memberId, sanctionId } = await mute();
        return { memberId, sanctionId };
      },
    },
    prepare: addMute,
    cost: { statements: 24, rowsRead: 16, rowsWritten: 4 },
  },
  listAuditLog: { cost: { rowsRead: 50, kilobytesSent: 70 } },
} satisfies FactsOf<typeof contract>;
