// The calls of the web app itself.
import type { webAppCalls as contract } from '#contract/web-app.ts';
import type { FactsOf } from './facts.ts';

export const webAppCalls = {
  countInterfaceError: {
    changesNothing: 'It stores nothing.',
    cost: { statements: 16, rowsRead: 8, rowsWritten: 8 },
  },
  schoolTheme: { cost: { statements: 8, rowsRead: 8 } },
} satisfies FactsOf<typeof contract>;
