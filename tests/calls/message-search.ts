// The calls of the message search.
import { createCostlyQueries } from '#tests/worst-cases/costly-values.ts';
import type { messageSearchCalls as contract } from '#contract/message-search.ts';
import type { FactsOf } from './facts.ts';

export const messageSearchCalls = {
  searchMessages: {
    query: () => ({ query: 'author' }),
    largest: { values: () => ({ query: createCostlyQueries() }) },
    cost: {
      statements: 30,
      rowsRead: 900,
      rowsWritten: 6,
      kilobytesWritten: 3,
      kilobytesSent: 150,
      cpuMs: 500,
    },
  },
} satisfies FactsOf<typeof contract>;
