// The calls of questions.
import type { questionCalls as contract } from '#contract/questions.ts';
import type { FactsOf } from './facts.ts';

export const questionCalls = {
  listQuestions: { cost: { statements: 30, rowsRead: 700, kilobytesSent: 300 } },
} satisfies FactsOf<typeof contract>;
