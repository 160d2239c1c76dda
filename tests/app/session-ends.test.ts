import type * as Argon2 from '@node-rs/argon2';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type * as Sessions from '#server/storage/queries/sessions.ts';
import { cookieOf, openRawSocket } from './raw-socket.ts';
import { enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

/** Runs after the server has read a session and before the request continues. */
let beforeGoingOn: (() => Promise<unknown>) | null = null;

vi.mock('#server/storage/queries/sessions.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Sessions>();
  return {
    ...original,
    async findSession(...asked: Parameters<typeof Sessions.findSession>) {
      const found = await original.findSession(...asked);
      const then = beforeGoingOn;
      beforeGoingOn = null;
      await then?.();
      return found;
    },
  };
});

/** Runs after the server has verified a password and before the request continues. */
let onceVerified: (() => Promise<unknown>) | null = null;

vi.mock('@node-rs/argon2', async (importOriginal) => {
  const original = await importOriginal<typeof Argon2>();
  return {
    ...original,
    async verify(...asked: Parameters<typeof Argon2.verify>) {
      const right = await original.verify(...asked);
      const then = onceVerified;
      onceVerified = null;
      await then?.();
      return right;
    },
  };
});

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('a socket that opens while its session ends is closed too [AUTH-52]', async () => {
  const ada = await app.newStudent();
  const { devices } = await ada.call('listDevices', {});
  const again = app.visitor(ada.email.split('@')[0]);
  await again.call('signIn', { body: { email: ada.email, password: ada.password } });
  let ended = false;
  beforeGoingOn = async () => {
    await again.call('signOutDevice', { params: { deviceId: devices[0]!.deviceId } });
    ended = true;
  };
  // On SQLite the server notices before it sends the welcome frame, on PostgreSQL right after.
  const code = await ada.connect().then(
    (live) => live.closed,
    (error: Error) => Number(/\d{4}/.exec(error.message)),
  );
  expect(code).toBe(4001);
  expect(ended).toBe(true);
});

test('a password that is reset during the sign-in does not sign in [AUTH-52]', async () => {
  const ada = await app.newStudent();
  await ada.call('requestPasswordReset', { body: { email: ada.email } });
  const token = /reset-password\?token=(\S+)/.exec(await app.nextMailTo(ada))?.[1] ?? '';
  onceVerified = () =>
    app.visitor().call('resetPassword', { body: { token, newPassword: 'another good one' } });
  const thief = app.visitor(ada.email.split('@')[0]);
  const signIn = thief.call('signIn', { body: { email: ada.email, password: ada.password } });
  await expect(signIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  expect(await thief.call('me', {})).toEqual({ account: null });
  const sessions = await app.database.query(
    `select sessions.id from sessions join accounts on accounts.id = "userId"
     where email = '${ada.email}'`,
  );
  expect(sessions).toEqual([]);
});

test('the server ignores and sends nothing to a socket whose session ended, even if it never closes [WIRE-17]', async () => {
  const [ada, ben] = [await app.newStudent(), await app.newStudent()];
  const classId = await newClass(ada);
  await joinClass(ben, classId);
  const thief = app.visitor(ada.email.split('@')[0]);
  const stolen = await openRawSocket(app.origin, await cookieOf(thief));
  stolen.send({ type: 'subscribe', rid: 1, classId });
  await stolen.until(() => stolen.frames.some(({ type }) => type === 'live'));
  let rid = 1;
  const say = (text: string) =>
    stolen.send({ type: 'post', rid: ++rid, classId, id: randomUUID(), text });
  say('while it may');
  await stolen.until(() => stolen.frames.some(({ type }) => type === 'ack'));

  await ada.call('signOutOtherDevices', {});
  const heard = stolen.frames.length;
  const live = await ben.connect();
  for (let n = 0; n < 20; n++) {
    say('when it may not');
    stolen.send({ type: 'subscribe', rid: ++rid, classId });
    await post(live, classId, 'not for the thief');
    await sleep(20);
  }
  const { messages } = await enter(live, classId);
  expect(new Set(messages.map(({ text }) => text))).toEqual(
    new Set(['while it may', 'not for the thief']),
  );
  expect(stolen.frames).toHaveLength(heard);
  stolen.stream.destroy();
});
