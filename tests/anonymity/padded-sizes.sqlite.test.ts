// The size of an encrypted value tells nothing of what is in it: a student who stores as little as possible and one who stores
// as much as possible leave rows of one size.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import {
  applyDecisions,
  decide,
  decideReview,
  grantRole,
  report,
} from '#tests/support/moderation.ts';
import { browserKeys, chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { watchKeys, type KeyWatch } from './key-watch.ts';

const pushService = 'http://127.0.0.1:9';

/** Columns that grow in steps, because their content has no bound. They name neither an account nor a persona. */
const growing = [
  // The message and its versions, whose length members have seen.
  'cases.evidence',
  'serverMetadata.value',
];
/** Hashes, days and months, which a member cannot make longer. */
const constant = [
  'accounts.lastUse',
  'accounts.times',
  'credentials.password',
  'sessions.times',
  'verifications.times',
];

let watch: KeyWatch;
let app: RunningApp;

beforeAll(async () => {
  watch = watchKeys();
  app = await startApp({
    EMAIL_VERIFICATION: 'off',
    PUSH_HOSTS: pushService,
    UNUSED_ACCOUNT_MONTHS: '24',
    // Nothing answers there, so mails wait.
    SMTP_URL: 'smtp://127.0.0.1:9',
  });
});
afterAll(async () => {
  await app.stop();
  watch.stop();
});

/** The longest text, of characters that take the most bytes. */
const createLongText = (codePoints: number) => '🦦'.repeat(codePoints);

async function storeLittle(student: TestClient, classId: string): Promise<void> {
  const params = { classId };
  // The first visit makes a read mark.
  await student.snapshot(classId);
  await chooseNotifications(student, classId, 'all');
  await saveSettings(student, {});
  await student.call('subscribePush', {
    body: { endpoint: `${pushService}/a`, keys: browserKeys },
  });
  await student.call('savePreferences', {
    params,
    body: { ignored: [], hidden: [], muted: false, version: 0 },
  });
}

async function storeMuch(student: TestClient, classId: string): Promise<void> {
  const params = { classId };
  await chooseNotifications(student, classId, 'mentions');
  await saveSettings(student, {
    quietHours: { from: '22:59', to: '21:59', timeZone: 'America/Argentina/ComodRivadavia' },
    snoozedUntil: Date.now() + 3_600_000,
  });
  const start = `${pushService}/`;
  const endpoint = start + 'a'.repeat(limits.pushEndpoint - start.length);
  await student.call('subscribePush', { body: { endpoint, keys: browserKeys } });
  const ignored = Array.from({ length: limits.ignoredMembers }, () =>
    randomBytes(12).toString('base64url'),
  );
  const hiddenIds = Array.from({ length: limits.hiddenMessages }, () => randomUUID());
  await student.call('savePreferences', {
    params,
    body: { ignored, hidden: hiddenIds, muted: true, version: 0 },
  });
}

test('each encrypted column has one size for the least and for the most that a member can store [ANON-54]', async () => {
  const operator = await app.createStudent('operator');
  await grantRole(app, operator, null, 'Olga');
  const little = await app.createStudent('l');
  const muchStudent = await app.createStudent(`m${'u'.repeat(60)}`);
  const classId = await little.createClass();
  await muchStudent.join(classId);
  await storeLittle(little, classId);
  await storeMuch(muchStudent, classId);
  const { id: short } = await little.post(classId, 'a');
  const { id: longId } = await muchStudent.post(classId, createLongText(900));
  for (let n = 0; n < 12; n++) await little.post(classId, 'b');
  const socket = await muchStudent.connectTo(classId);
  socket.send({ type: 'read', classId, seq: 14 });
  socket.close();
  await report(muchStudent, classId, { messageId: short });
  await report(little, classId, { messageId: longId, text: createLongText(limits.reportText) });
  const reasons = new Map([
    [short, 'a'],
    [longId, createLongText(limits.decisionReason)],
  ]);
  const escalated = [];
  for (const [id, reason] of reasons) {
    escalated.push([await decide(operator, id, { escalate: true, reason }), reason] as const);
  }
  await applyDecisions(app);
  for (const [escalatedCase, reason] of escalated) {
    const days = reason.length === 1 ? 7 : null;
    await decideReview(operator, escalatedCase, { decision: 'suspend', days }, reason);
  }
  await applyDecisions(app);
  for (const [student, text] of [
    [little, 'a'],
    [muchStudent, createLongText(limits.appealText)],
  ] as const) {
    const { sanctions } = await student.call('listOwnSanctions', {});
    const { sanctionId } = sanctions.find(({ kind }) => kind === 'suspension')!;
    await student.call('appeal', { params: { sanctionId }, body: { text } });
    await student.call('requestPasswordReset', { body: { email: student.email } });
  }

  const sizes: Record<string, Set<number>> = {};
  const contents: Record<string, Set<number>> = {};
  for (const [table, rows] of Object.entries(await app.database.tables())) {
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const [foundOutput] = watch.findIn(String(value));
        if (foundOutput?.output.kind !== 'encrypted') continue;
        (sizes[`${table}.${column}`] ??= new Set()).add(String(value).length);
        (contents[`${table}.${column}`] ??= new Set()).add(foundOutput.output.input.length);
      }
    }
  }
  const padded = Object.keys(sizes).filter((name) => !growing.includes(name));
  expect(padded.length).toBeGreaterThan(10);

  const varying = padded.filter((name) => sizes[name]!.size > 1);
  expect(varying).toEqual([]);

  const uniform = padded.filter((name) => contents[name]!.size === 1);
  expect(uniform.toSorted()).toEqual(constant);
});
