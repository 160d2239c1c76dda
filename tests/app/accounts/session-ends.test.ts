import type * as Argon2 from '@node-rs/argon2';
import { randomUUID } from 'node:crypto';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type * as Sessions from '#server/accounts/session-records.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { changeStoredSessions, listStoredSessions } from '#tests/support/stored-accounts.ts';
import { getToday } from '#server/base/days.ts';

/** Runs after the server has read a session and before the request continues. */
let beforeGoingOn: (() => Promise<unknown>) | null = null;

vi.mock('#server/accounts/session-records.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Sessions>();
  class SessionRecords extends original.SessionRecords {
    override async find(...args: Parameters<Sessions.SessionRecords['find']>) {
      const session = await super.find(...args);
      const runOnce = beforeGoingOn;
      beforeGoingOn = null;
      await runOnce?.();
      return session;
    }
  }
  return { ...original, SessionRecords };
});

/** Runs after the server has verified a password and before the request continues. */
let onceVerified: (() => Promise<unknown>) | null = null;

vi.mock('@node-rs/argon2', async (importOriginal) => {
  const original = await importOriginal<typeof Argon2>();
  return {
    ...original,
    async verify(...args: Parameters<typeof Argon2.verify>) {
      const isRight = await original.verify(...args);
      const runOnce = onceVerified;
      onceVerified = null;
      await runOnce?.();
      return isRight;
    },
  };
});

const app = setUpApp({ UNMASKING: 'on' });

test('a socket that opens while its session ends is closed [AUTH-52]', async () => {
  const ada = await app.createStudent();
  const { devices } = await ada.call('listDevices', {});
  const otherBrowser = ada.newBrowser();
  await otherBrowser.call('signIn', { body: { email: ada.email, password: ada.password } });
  let isEnded = false;
  beforeGoingOn = async () => {
    await otherBrowser.call('signOutDevice', { params: { deviceId: devices[0]!.deviceId } });
    isEnded = true;
  };

  // The server notices before it sends the welcome frame on SQLite, and right after it on PostgreSQL.
  const code = await ada.connect().then(
    (socket) => socket.closed,
    (error: Error) => Number(/\d{4}/.exec(error.message)),
  );

  expect(code).toBe(4001);
  expect(isEnded).toBe(true);
});

test('a session that ends during its renewal is signed out [AUTH-18]', async () => {
  const ada = await app.createStudent();
  const otherBrowser = ada.newBrowser();
  await otherBrowser.signIn();
  await changeStoredSessions(app.database, { endDay: getToday() + 3 });
  // The call reads the session twice, and renews it after the second time.
  beforeGoingOn = async () => {
    beforeGoingOn = () => otherBrowser.call('signOutOtherDevices', {});
  };

  expect(await ada.call('me', {})).toEqual({ account: null });
});

test('a password that is reset during the sign-in does not sign in [AUTH-52]', async () => {
  const ada = await app.createStudent();
  await ada.call('requestPasswordReset', { body: { email: ada.email } });
  const token = /reset-password#token=(\S+)/.exec(await app.waitForNextMailTo(ada))?.[1] ?? '';
  onceVerified = () =>
    app.visitor().call('resetPassword', { body: { token, newPassword: 'another good one' } });
  const thief = ada.newBrowser();

  const signIn = thief.call('signIn', { body: { email: ada.email, password: ada.password } });
  await expect(signIn).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });
  expect(await thief.call('me', {})).toEqual({ account: null });

  expect(await listStoredSessions(app.database, ada.email)).toEqual([]);
});

test('an address that is corrected during the sign-in does not sign in any more [ADDRESS-2, AUTH-52]', async () => {
  const ada = await app.createStudent();
  const settings = { UNMASKING: 'on', ...app.database.settings };
  onceVerified = () =>
    runAdminCommand(settings, 'correct-address', ada.email, 'corrected@university.edu');
  const previous = ada.newBrowser();

  await expect(previous.signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

  expect(await previous.call('me', {})).toEqual({ account: null });
});

test('the server ignores a socket whose session ended, even if it never closes [WIRE-17]', async () => {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const thief = ada.newBrowser();
  await thief.signIn();
  let tcp!: Socket;
  const stolenSocket = await thief.connect({
    createConnection: (options) => (tcp = connect(options as TcpNetConnectOpts)),
  });
  await stolenSocket.subscribe(classId);
  await stolenSocket.post(classId, 'while it may');

  // The test reads and writes bytes from here on, because the library would reply to the close frame.
  tcp.removeAllListeners('data');
  const receivedBytes: Buffer[] = [];
  tcp.on('data', (chunk) => receivedBytes.push(chunk));
  await ada.call('signOutOtherDevices', {});
  const socket = await ben.connect();
  for (let rid = 1; rid < 40; rid += 2) {
    const post = { type: 'post', rid, classId, id: randomUUID(), text: 'when it may not' };
    tcp.write(toTextFrame(post));
    tcp.write(toTextFrame({ type: 'subscribe', rid: rid + 1, classId }));
    await socket.post(classId, 'not for the thief');
    await sleep(20);
  }

  const { messages } = await socket.subscribe(classId);

  expect(new Set(messages.map(({ text }) => text))).toEqual(
    new Set(['while it may', 'not for the thief']),
  );
  const closeFrame = Buffer.concat(receivedBytes);
  expect(closeFrame[0]).toBe(0x88);
  expect(closeFrame).toHaveLength(2 + closeFrame[1]!);

  tcp.destroy();
});

/** @returns the bytes of a frame, whose mask is zero, so that the text is unchanged */
function toTextFrame(frame: object): Buffer {
  const text = Buffer.from(JSON.stringify(frame));
  const header = [0x81, 0xfe, text.length >> 8, text.length & 255, 0, 0, 0, 0];
  return Buffer.concat([Buffer.from(header), text]);
}
