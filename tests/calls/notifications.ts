// The calls of notifications and digests.
import { randomUUID } from 'node:crypto';
import { createDigestLinks } from '#server/features/notifications/digest/digest-links.ts';
import { browserKeys } from '#tests/support/notifications.ts';
import type { notificationCalls as contract } from '#contract/notifications.ts';
import type { FactsOf } from './facts.ts';

// Nothing answers there.
const createSubscription = () => ({
  endpoint: `http://127.0.0.1:9/${randomUUID()}`,
  keys: browserKeys,
});

export const notificationCalls = {
  readNotifications: { cost: { statements: 12, rowsRead: 310, kilobytesSent: 13 } },
  saveNotifications: {
    body: () => ({
      showText: true,
      quietHours: null,
      snoozedUntil: null,
      waitingWork: true,
    }),
    cost: { statements: 14, rowsRead: 10, kilobytesWritten: 8 },
  },
  // This server has no mail server, so it can only turn digests off.
  saveDigest: {
    body: () => ({ digest: false }),
    cost: { statements: 14, rowsRead: 10, rowsWritten: 4 },
  },
  subscribePush: {
    body: createSubscription,
    cost: { statements: 12, rowsRead: 22, rowsWritten: 45, kilobytesWritten: 25 },
  },
  unsubscribePush: {
    order: 'late',
    async prepare({ caller }) {
      await caller.call('subscribePush', { body: createSubscription() });
    },
    cost: { statements: 15, rowsRead: 22, rowsWritten: 45, kilobytesWritten: 25 },
  },
  chooseNotifications: {
    body: () => ({ notify: 'all' }),
    cost: { statements: 16, rowsRead: 10, kilobytesWritten: 14 },
  },
  // The link is invalid.
  unsubscribeDigest: {
    outcome: 'INVALID_LINK',
    query: ({ token }) => ({ token }),
    changesNothing: 'This server sends no digests.',
    order: 'late',
    largest: {
      async prepare({ student, keys, findAccountId }) {
        const links = createDigestLinks(keys.digest.links, student.origin);
        const { searchParams } = new URL(links.unsubscribeUrl(await findAccountId(student)));
        return { token: searchParams.get('token') };
      },
    },
    cost: { statements: 40, rowsRead: 50, rowsWritten: 4, kilobytesWritten: 1, frames: 6 },
  },
} satisfies FactsOf<typeof contract>;
