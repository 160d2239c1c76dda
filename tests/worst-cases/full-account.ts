// Fills an account with as much of everything as the limits allow. Rows of sessions are written without a sign-in,
// which would cost a hash each.
import { createECDH, randomBytes } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { hashToken } from '#server/base/random-id.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';
import { createJpeg, postPictures, upload } from '#tests/support/pictures.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { createSessionCookie } from '../../bench/school.ts';
import { insertStoredSession } from '#tests/support/stored-accounts.ts';

/** Calls that are in progress together while the state is prepared. */
const callsAtOnce = 16;
const pictures = 2 * limits.messageImages;
const unsentPictures = 5;

export async function runInTurns<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let n = 0; n < items.length; n += callsAtOnce) {
    await Promise.all(items.slice(n, n + callsAtOnce).map(act));
  }
}

/** @returns the `Cookie` headers of new sessions, one fewer than an account can have */
export async function addSessions(
  database: Pick<TestDatabase, 'settings' | 'query'>,
  cookieSecret: string,
  email: string,
): Promise<string[]> {
  const tokens = Array.from(
    { length: limits.sessions - 1 },
    () => createRandomId() + createRandomId(),
  );
  const createdDay = getToday();
  for (const token of tokens) {
    const session = { device: 'A browser', createdDay, endDay: createdDay + 30 };
    await insertStoredSession(database, email, { id: hashToken(token), ...session });
  }
  return tokens.map((token) => createSessionCookie(token, cookieSecret));
}

export function createPushSubscription() {
  return {
    endpoint: `https://fcm.googleapis.com/fcm/send/${randomBytes(500).toString('base64url')}`,
    keys: { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'A'.repeat(22) },
  };
}

interface FullAccount {
  student: TestClient;
  /** The socket of the student. */
  socket: TestSocket;
  /** The cookies of the student, in addition to that of `student`. */
  cookies: readonly string[];
  classId: string;
  classIds: readonly string[];
  messageIds: readonly string[];
  /** The messages of others that the student reported. */
  reportedIds: readonly string[];
  reports: number;
}

export async function fillAccount(options: FullAccount): Promise<void> {
  const { student, socket, cookies, classId, classIds, messageIds } = options;
  const ignored = Array.from({ length: limits.ignoredMembers }, () => createRandomId());
  const hiddenIds = messageIds.slice(0, limits.hiddenMessages);
  await runInTurns(classIds, async (id) => {
    const params = { classId: id };
    const body = { version: 0, ignored, hidden: hiddenIds, muted: true };
    await student.call('savePreferences', { params, body });
    await student.call('chooseNotifications', { params, body: { notify: 'all' } });
  });
  await runInTurns(cookies, (cookie) =>
    createTestClient(student.origin, student.email, { cookie }).call('subscribePush', {
      body: createPushSubscription(),
    }),
  );
  const file = await createJpeg(20, 20);
  const uploads: { imageId: string; alt: string }[] = [];
  // The server takes one upload of an account at a time.
  for (let n = 0; n < pictures + unsentPictures; n++) {
    const { imageId } = await upload(student, classId, file);
    uploads.push({ imageId, alt: '長'.repeat(limits.altText) });
  }
  for (let n = 0; n < pictures; n += limits.messageImages) {
    await postPictures(socket, classId, uploads.slice(n, n + limits.messageImages));
  }
  await runInTurns(options.reportedIds.slice(0, options.reports), (messageId) =>
    student.call('reportMember', {
      params: { classId },
      body: { messageId, reason: 'spam', text: '長'.repeat(limits.reportText) },
    }),
  );
}
