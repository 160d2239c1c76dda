// The calls of reports from outside.
import type { outsideReportCalls as contract } from '#contract/outside-reports.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { LargestData } from '#tests/worst-cases/largest-data.ts';
import type { FactsOf } from './facts.ts';

const report = { what: 'A lie about me', place: 'CS 146', contactAddress: 'out@side.example' };
const longest = ({ texts }: LargestData) => ({
  what: texts.map((text) => text.slice(0, 2000).toWellFormed()),
  contactAddress: [`a@${'b'.repeat(60)}.${'c'.repeat(60)}.example`],
});

async function sendReport(sender: TestClient, operator: TestClient) {
  await sender.call('reportFromOutside', { body: report });
  const { outsideReports } = await operator.call('listOutsideReports', {});
  return { reportId: outsideReports[0]!.reportId };
}

export const outsideReportCalls = {
  reportFromOutside: {
    body: () => report,
    changedBy: 'newBrowser',
    largest: { by: 'visitor', values: longest },
    countedRate: 'allOutsideReports',
    cost: { kilobytesWritten: 48, mails: 1 },
    inADay: { ofNetwork: true, rows: 40, megabytes: 1, mails: 40 },
  },
  listOutsideReports: { cost: { rowsRead: 110, kilobytesSent: 700 } },
  // There is no such report.
  decideOutsideReport: {
    outcome: 'NOT_FOUND',
    body: () => ({ decision: 'acted', reason: 'It is gone' }),
    largest: { prepare: ({ visitor, operator }) => sendReport(visitor, operator) },
    prepare: ({ ada, otto }) => sendReport(ada, otto),
    cost: { rowsWritten: 8, kilobytesWritten: 48, mails: 1 },
  },
} satisfies FactsOf<typeof contract>;
