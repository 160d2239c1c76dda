// The calls of the transparency reports.
import type { transparencyCalls as contract } from '#contract/transparency.ts';
import type { FactsOf } from './facts.ts';

export const transparencyCalls = {
  readSiteTransparency: {},
  readClassTransparency: {
    cost: { statements: 40, rowsRead: 45, kilobytesSent: 8, frames: 8 },
  },
} satisfies FactsOf<typeof contract>;
