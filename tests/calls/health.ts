// The calls of the admin overview.
import type { healthCalls as contract } from '#contract/health.ts';
import type { FactsOf } from './facts.ts';

export const healthCalls = {
  readOverview: { who: 'operator', cost: { statements: 30, rowsRead: 340, kilobytesSent: 4 } },
  readSettingsInForce: { who: 'operator', cost: { statements: 10, kilobytesSent: 12 } },
} satisfies FactsOf<typeof contract>;
