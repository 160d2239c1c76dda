// The calls of unmasking.
import { ground, requestUnmasking } from '#tests/support/unmasking.ts';
import type { unmaskingCalls as contract } from '#contract/unmasking.ts';
import type { FactsOf } from './facts.ts';

export const unmaskingCalls = {
  listUnmaskings: {},
  readUnmasking: { cost: { statements: 19, rowsRead: 18 } },
  requestUnmasking: {
    in: {
      ended: 'UNMASKING_IMPOSSIBLE',
    },
    ownScene: 'forCall',
    body: ({ password }) => ({ password, reason: ground }),
    largest: {
      prepare: async ({ reportMessage, author }) => ({
        caseId: (await reportMessage(author)).caseId,
      }),
    },
    cost: {
      statements: 80,
      rowsRead: 90,
      rowsWritten: 8,
      kilobytesWritten: 13,
      kilobytesSent: 9,
      frames: 7,
      mails: 2,
      cpuMs: 500,
    },
  },
  // There is no such request.
  confirmUnmasking: {
    outcome: 'NOT_FOUND',
    body: ({ password }) => ({ password }),
    largest: {
      async prepare({ reportMessage, author, operator, secondOperator, reason }) {
        const { caseId } = await reportMessage(author);
        const { requestId } = await requestUnmasking(operator, caseId, { reason });
        return { client: secondOperator, requestId };
      },
    },
    prepare: ({ otto, caseId }) => requestUnmasking(otto, caseId),
    cost: { statements: 50, rowsRead: 110, rowsWritten: 4, kilobytesWritten: 1, cpuMs: 500 },
  },
  withdrawUnmasking: {
    outcome: 'NOT_FOUND',
    order: 'late',
    prepare: ({ caller, caseId }) => requestUnmasking(caller, caseId),
    cost: { statements: 40, rowsRead: 40, rowsWritten: 8, kilobytesSent: 4, frames: 4 },
  },
} satisfies FactsOf<typeof contract>;
