// The calls of the admin overview.
import type { healthCalls as contract } from '#contract/health.ts';
import type { FactsOf } from './facts.ts';

export const healthCalls = {
  readOverview: { cost: { statements: 30, rowsRead: 340, kilobytesSent: 4 } },
  readSettingsInForce: { cost: { statements: 10, kilobytesSent: 12 } },
} satisfies FactsOf<typeof contract>;
