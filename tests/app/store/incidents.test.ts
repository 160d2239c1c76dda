// Security incidents of other projects, replayed here. Each test names the incident.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { password } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
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

describe('rights in one class', () => {
  test('a member cannot reach the messages of another class through their own class [HTTP-3, SEND-13, CHAT-30]', async () => {
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

describe('a spoofed author or place', () => {
  test('no client can set the author, the time or the log position of a message [ANON-1, HTTP-4, LOG-1, LOG-30]', async () => {
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
