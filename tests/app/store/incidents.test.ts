// Security incidents of other projects, replayed here. Each test names the incident.
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { routes, toRouteUrl } from '#contract/routes.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { sendFile } from '#tests/support/pictures.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';

const app = setUpApp();

async function sendFrame(socket: TestSocket, frame: object) {
  const answer = await socket.request(frame);
  return answer.type === 'ack' ? 'ack' : answer.code;
}

async function createTwoClasses() {
  const ada = await app.createStudent();
  const ben = await app.createStudent();
  const hers = await ada.createClass();
  const his = await ben.createClass();
  const adaSocket = await ada.connect();
  const benSocket = await ben.connect();
  return { ada, ben, hers, his, adaSocket, benSocket };
}

describe('objects in place of strings (Rocket.Chat CVE-2021-22911)', () => {
  const operators: unknown[] = [
    { $ne: null },
    { $regex: '.*' },
    { $gt: '' },
    { $where: 'return true' },
    { toString: 'x' },
    ['ada@university.edu'],
    [['=', 'x']],
    null,
    true,
    0,
  ];

  test('an object in place of a string opens no account, sets no password and finds no class [HTTP-5, ERROR-1, AUTH-11]', async () => {
    const ada = await app.createStudent();
    const visitor = app.visitor();
    const getStatus = async (student: TestClient, path: string, body: unknown) =>
      (await student.fetch(path, { method: 'POST', body: JSON.stringify(body) })).status;
    for (const odd of operators) {
      const email = ada.email;
      expect(await getStatus(visitor, routes.signIn.path, { email, password: odd })).toBe(400);
      expect(await getStatus(visitor, routes.signIn.path, { email: odd, password })).toBe(400);
      const reset = { token: odd, newPassword: 'another password' };
      expect(await getStatus(visitor, routes.resetPassword.path, reset)).toBe(400);
      expect(await getStatus(visitor, routes.requestPasswordReset.path, { email: odd })).toBe(400);
      if (odd !== null) {
        const requests = [{ indexName: 'classSearch', query: odd }];
        expect(await getStatus(ada, '/1/indexes/*/queries', { requests })).toBe(400);
      }
    }
    await visitor.call('signIn', { body: { email: ada.email, password } });
  });

  test('an object in place of a string reaches no room, message or history [WIRE-4, HTTP-3]', async () => {
    const { ada, hers, adaSocket } = await createTwoClasses();
    const { id } = await adaSocket.post(hers, 'here');
    for (const odd of operators) {
      expect(await sendFrame(adaSocket, { type: 'subscribe', classId: odd })).toBe('INVALID');
      const right = { type: 'delete', classId: hers, messageId: id };
      expect(await sendFrame(adaSocket, { ...right, messageId: odd })).toBe('INVALID');
      expect(await sendFrame(adaSocket, { ...right, classId: odd })).toBe('INVALID');
    }

    for (const query of [
      'before[$gt]=1',
      'limit[]=5',
      'before=1&before=2',
      'limit=[object Object]',
    ]) {
      const response = await ada.fetch(`/api/classes/${hers}/messages?${query}`);
      expect([200, 400]).toContain(response.status);
      if (response.status === 200) {
        const { messages } = (await response.json()) as { messages: unknown[] };
        expect(messages.length).toBeLessThanOrEqual(1);
      }
    }
    expect((await adaSocket.subscribe(hers)).messages).toHaveLength(1);
  });
});

describe('links that cross (Zulip CVE-2022-21706)', () => {
  test('a class link opens only its class, and a mailed link opens only its account [JOIN-1, HTTP-3, AUTH-15]', async () => {
    const { ada, ben, hers, his } = await createTwoClasses();
    await ada.call('joinClass', { params: { classId: his } });
    expect((await ben.call('readClass', { params: { classId: hers } })).joined).toBe(false);

    const reading = ben.call('listMessages', { params: { classId: hers }, query: {} });
    await expect(reading).rejects.toMatchObject({ code: 'NOT_FOUND' });

    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    const mail = await app.waitForNextMailTo(ada);
    const token = decodeURIComponent(/reset-password#token=(\S+)/.exec(mail)![1]!);
    // Ben uses her link while he is signed in. The call changes her password, not his.
    await ben.call('resetPassword', { body: { token, newPassword: 'her new password' } });
    const visitor = app.visitor();
    await visitor.call('signIn', { body: { email: ben.email, password } });
    await visitor.call('signIn', { body: { email: ada.email, password: 'her new password' } });
    const secondReset = ben.call('resetPassword', {
      body: { token, newPassword: 'once more mine' },
    });
    await expect(secondReset).rejects.toMatchObject({ code: 'INVALID_LINK' });
  });

  test('a token for one purpose serves no other [AUTH-15, AUTH-17]', async () => {
    const ada = await app.createStudent();
    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    const mail = await app.waitForNextMailTo(ada);
    const token = decodeURIComponent(/reset-password#token=(\S+)/.exec(mail)![1]!);
    const body = JSON.stringify({ token, password });

    const verifying = await ada.fetch(routes.verifyEmail.path, { method: 'POST', body });

    expect(verifying.status).toBe(400);

    await app.visitor().call('resetPassword', { body: { token, newPassword: 'a new password' } });
  });
});

describe('an account that an attacker created earlier with the victim’s address (PocketBase CVE-2024-38351)', () => {
  test('an attacker who signs up with the victim’s address gets no access to the victim’s account [AUTH-16, AUTH-17, AUTH-55, AUTH-61]', async () => {
    const strict = await startApp({ EMAIL_VERIFICATION: 'required' });
    try {
      const owner = strict.visitor('victim');
      const attacker = strict.visitor('victim');
      const email = owner.email;
      const credentials = { body: { email, password: 'what the attacker chose' } };
      await attacker.call('signUp', credentials);
      const token = /token=(\S+)/.exec(await strict.waitForNextMailTo(owner))![1]!;
      const expectRejection = async (client: TestClient) => {
        await expect(client.call('signIn', credentials)).rejects.toMatchObject({
          code: 'WRONG_CREDENTIALS',
        });
        await expect(client.call('listClasses', {})).rejects.toMatchObject({
          code: 'UNAUTHENTICATED',
        });
        await expect(client.connect()).rejects.toThrow('401');
      };
      await expectRejection(attacker);
      const verification = owner.call('verifyEmail', {
        body: { token: decodeURIComponent(token), password },
      });
      await expect(verification).rejects.toMatchObject({ code: 'WRONG_PASSWORD' });
      await owner.call('requestPasswordReset', { body: { email } });
      expect(await strict.waitForNextMailTo(owner)).toContain('You have no account');
      await expectRejection(attacker);
    } finally {
      await strict.stop();
    }
  });
});

async function waitForNextMail(
  runningApp: RunningApp,
  student: TestClient,
  link: RegExp,
): Promise<string> {
  for (;;) {
    const mail = await runningApp.waitForNextMailTo(student);
    if (link.test(mail)) return mail;
  }
}

describe('sockets that outlive their authorization', () => {
  test('a socket closes on sign-out and on a new password, and receives nothing from a class after leaving it [WIRE-10, AUTH-16, AUTH-18, LEAVE-8]', async () => {
    const { ada, ben, hers, adaSocket, benSocket } = await createTwoClasses();
    await ben.join(hers);
    await benSocket.subscribe(hers);
    await adaSocket.subscribe(hers);
    await ben.call('leaveClass', { params: { classId: hers } });
    await benSocket.waitFor('reset', ({ classId }) => classId === hers);
    const countBefore = benSocket.frames.length;

    await adaSocket.post(hers, 'now that Ben has gone');
    expect(await sendFrame(benSocket, { type: 'subscribe', classId: hers })).toBe('NOT_FOUND');

    const framesAfter = benSocket.frames
      .slice(countBefore)
      .filter((frame) => JSON.stringify(frame).includes(hers));
    expect(framesAfter.filter(({ type }) => type !== 'enrolment')).toEqual([]);

    await ben.call('signOut', {});
    expect(await benSocket.closed).toBe(4001);

    await ada.call('requestPasswordReset', { body: { email: ada.email } });
    const mail = await waitForNextMail(app, ada, /reset-password/);
    const token = decodeURIComponent(/reset-password#token=(\S+)/.exec(mail)![1]!);
    await app.visitor().call('resetPassword', { body: { token, newPassword: 'a new password' } });
    expect(await adaSocket.closed).toBe(4001);
    await expect(ada.connect()).rejects.toThrow('401');
  });
});

describe('rights in one class', () => {
  test('a member cannot reach the messages of another class through their own class [HTTP-3, SEND-13, SEND-14]', async () => {
    const { hers, his, adaSocket, benSocket } = await createTwoClasses();
    const { id: messageId } = await benSocket.post(his, 'of another class');

    const { id: ownMessageId } = await adaSocket.post(hers, 'of mine');
    for (const [classId, expected] of [
      [his, 'NOT_FOUND'],
      [hers, 'NOT_FOUND'],
    ] as const) {
      expect(
        await sendFrame(adaSocket, { type: 'edit', classId, messageId, text: 'mine now' }),
      ).toBe(expected);
      expect(await sendFrame(adaSocket, { type: 'react', classId, messageId, emoji: '💩' })).toBe(
        expected,
      );
      const answer = { type: 'post', classId, id: randomUUID(), text: 're', replyTo: messageId };
      expect(await sendFrame(adaSocket, answer)).toBe(expected);
    }
    // Deleting a message that does not exist in the class succeeds without effect. The message is in another
    // class.
    expect(await sendFrame(adaSocket, { type: 'delete', classId: hers, messageId })).toBe('ack');
    expect(await sendFrame(adaSocket, { type: 'delete', classId: his, messageId })).toBe(
      'NOT_FOUND',
    );

    const { messages } = await benSocket.subscribe(his);
    expect(messages).toMatchObject([{ id: messageId, text: 'of another class', reactions: {} }]);
    expect((await adaSocket.subscribe(hers)).messages).toMatchObject([{ id: ownMessageId }]);
  });
});

describe('cached pages of another user (Zulip 2021)', () => {
  test('no cache stores a student’s data, and the page is the same for everyone [HTTP-10]', async () => {
    const ada = await app.createStudent('first');
    const ben = await app.createStudent('second');
    const classId = await ada.createClass();
    for (const path of [
      '/api/me',
      '/api/classes',
      toRouteUrl('listMessages', { params: { classId } }),
    ]) {
      const answer = await ada.fetch(path);
      expect(answer.headers.get('cache-control'), path).toBe('no-store');
      expect(answer.headers.get('etag'), path).toBeNull();
      const validator = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() };
      expect((await ada.fetch(path, { headers: validator })).status, path).toBe(200);
    }
    // Many requests run in parallel, each for its own student.
    const requests = Array.from({ length: 40 }, async (_, n) => {
      const student = n % 2 ? ada : ben;
      const { account } = await student.call('me', {});
      expect(account?.email).toBe(student.email);
    });
    await Promise.all(requests);
  });
});

describe('a spoofed author or place', () => {
  test('no client can set the author, the time or the log position of a message [ANON-1, HTTP-5, LOG-1, LOG-30]', async () => {
    const { ben, hers, adaSocket, benSocket } = await createTwoClasses();
    await ben.join(hers);
    const { me } = await adaSocket.subscribe(hers);

    const createFrame = () => ({ type: 'post', classId: hers, id: randomUUID(), text: 'I am Ada' });
    for (const extra of [
      { memberId: me.memberId },
      { userId: me.memberId },
      { author: me.memberId },
      { seq: 1 },
      { createdAt: 0 },
      { reactions: { [me.memberId]: '❤️' } },
      { persona: me },
      { accountId: 'x' },
    ]) {
      expect(await sendFrame(benSocket, { ...createFrame(), ...extra })).toBe('INVALID');
    }

    const raw = `{"type":"post","rid":7000000,"classId":"${hers}","id":"${randomUUID()}","text":"x","__proto__":{"memberId":"${me.memberId}"}}`;
    benSocket.sendText(raw);
    const answer = await benSocket.waitForReply(7_000_000);
    const { messages } = await adaSocket.subscribe(hers);
    expect(messages).toHaveLength(answer.type === 'ack' ? 1 : 0);
    for (const { memberId } of messages) expect(memberId).not.toBe(me.memberId);

    // Nor can a client post under the id of another member's message.
    const { id } = await adaSocket.post(hers, 'really Ada');
    expect((await benSocket.post(hers, 'really Ada', id)).type).toBe('nack');
  });
});

describe('races', () => {
  test('twenty simultaneous posts with the same id make one message, and a deleted message stays deleted [LOG-4, DELETE-5, LOG-13]', async () => {
    const { ada, hers, adaSocket } = await createTwoClasses();
    const other = await ada.connect();
    for (let round = 0; round < 10; round++) {
      const id = randomUUID();
      const frame = { type: 'post', classId: hers, id, text: `round ${round}` };
      const outcomes = await Promise.all([
        ...Array.from({ length: 10 }, (_, n) => sendFrame(n % 2 ? adaSocket : other, frame)),
        sendFrame(other, { type: 'delete', classId: hers, messageId: id }),
        sendFrame(adaSocket, {
          type: 'edit',
          classId: hers,
          messageId: id,
          text: 'edited meanwhile',
        }),
        sendFrame(other, { type: 'delete', classId: hers, messageId: id }),
        ...Array.from({ length: 10 }, (_, n) => sendFrame(n % 2 ? adaSocket : other, frame)),
      ]);
      expect(
        outcomes.every((outcome) => ['ack', 'NOT_FOUND', 'ID_CONFLICT'].includes(outcome)),
      ).toBe(true);
      expect(await sendFrame(other, { type: 'delete', classId: hers, messageId: id })).toBe('ack');
    }
    const snapshot = await adaSocket.subscribe(hers);

    expect(snapshot.messages).toEqual([]);

    const rows = await app.database.query(`select text from messages where "classId" = '${hers}'`);
    expect(rows.map(({ text }) => text).join('')).toBe('');
  });

  test('simultaneous joins and leaves end in one state, and memberCount matches it [JOIN-5, JOIN-26, LEAVE-2]', async () => {
    const { ben, hers } = await createTwoClasses();
    const path = toRouteUrl('joinClass', { params: { classId: hers } });
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => ben.fetch(path, { method: n % 2 ? 'PUT' : 'DELETE' })),
    );

    const { class: read, joined } = await ben.call('readClass', { params: { classId: hers } });

    expect(read.memberCount).toBe(joined ? 2 : 1);
  });

  test('two simultaneous sign-ups for one address make one account [AUTH-23]', async () => {
    const email = `${randomUUID()}@university.edu`;
    const signUps = Array.from({ length: 8 }, (_, n) =>
      app.visitor().fetch(routes.signUp.path, {
        method: 'POST',
        body: JSON.stringify({ email: n % 2 ? email : email.toUpperCase(), password }),
      }),
    );

    const statuses = (await Promise.all(signUps)).map(({ status }) => status);

    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(7);
  });
});

test('rare image formats reach no decoder, whatever type they declare (Synapse CVE-2024-53863) [PDF-11]', async () => {
  const ada = await app.createStudent();
  const classId = await ada.createClass();
  const pixels = sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } });
  const createText = (start: string) => new TextEncoder().encode(start.padEnd(2000, ' '));

  const files = {
    tiff: await pixels.clone().tiff().toBuffer(),
    svg: createText(
      '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
    ),
    eps: createText('%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n'),
    ppm: createText('P3\n1 1\n255\n255 0 0\n'),
    fits: createText('SIMPLE  =                    T'),
    mvg: createText('push graphic-context\nviewbox 0 0 9 9\n'),
    bmp: createText('BM'),
    psd: createText('8BPS'),
    icns: createText('icns'),
  };

  for (const [name, file] of Object.entries(files)) {
    for (const type of ['image/png', `image/${name}`]) {
      const answer = await sendFile(ada, classId, file, { 'content-type': type });
      expect([name, answer.status, await answer.json()]).toMatchObject([
        name,
        400,
        { code: 'IMAGE_NOT_A_PICTURE' },
      ]);
    }
  }
});
