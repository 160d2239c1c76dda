// The calls of the class search.
import type { classSearchCalls as contract } from '#contract/class-search.ts';
import type { FactsOf } from './facts.ts';

export const classSearchCalls = {
  // This server answers searches itself, so there is no hosted search key.
  searchAccess: {
    outcome: 'NOT_FOUND',
    largest: { answer: 'NOT_FOUND' },
    cost: { statements: 8, rowsRead: 8 },
  },
  searchClasses: {
    body: () => ({ requests: [{ indexName: 'classSearch', query: '' }] }),
    changesNothing: 'It stores nothing.',
    countedRate: 'searches',
    cost: {
      statements: 10,
      rowsRead: 12,
      rowsWritten: 4,
      kilobytesWritten: 1,
      kilobytesSent: 310,
      frames: 4,
    },
  },
} satisfies FactsOf<typeof contract>;
