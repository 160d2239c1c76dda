// What a student may do ends on every open connection together with the membership or the session.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ask } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import type { Reply, TestSocket } from '#tests/support/test-socket.ts';

const app = setUpApp();
let lastRid = 6_000_000;

interface Membership {
  student: TestClient;
  socket: TestSocket;
  classId: string;
  /** A message of another member. */
  messageId: string;
}

/** The code of each way to use the class: over HTTP, and over a connection that used it before. */
async function useClass({ student, socket, classId, messageId }: Membership) {
  const params = { classId };
  const calls = {
    history: () => student.call('listMessages', { params, query: {} }),
    search: () => student.call('searchMessages', { params, query: { query: 'hello' } }),
    members: () => student.call('listMembers', { params, query: {} }),
    rename: () => student.call('changePersona', { params, body: { anonymousName: 'Wombat' } }),
  };
  const frames = {
    post: { type: 'post', id: randomUUID(), text: 'too late' },
    react: { type: 'react', messageId, emoji: '👍' },
    edit: { type: 'edit', messageId, text: 'too late' },
    delete: { type: 'delete', messageId },
    vote: { type: 'vote', messageId, voted: true },
  };
  const codes: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    codes[name] = await call().then(
      () => 'allowed',
      ({ code }: { code: string }) => code,
    );
  }
  for (const [name, frame] of Object.entries(frames)) {
    codes[name] = await socket
      .request({ classId, ...frame })
      .then(getErrorCode, (error: Error) => error.message);
  }
  for (const kind of ['live', 'unread'] as const) {
    const rid = ++lastRid;
    const light = kind === 'unread' ? { light: true as const } : {};
    socket.send({ type: 'subscribe', rid, classId, ...light });
    codes[kind] = await Promise.race([
      socket.waitForReply(rid).then(getErrorCode),
      socket.waitFor(kind, (frame) => frame.rid === rid).then(() => 'allowed'),
    ]).catch((error: Error) => error.message);
  }
  return codes;
}

const getErrorCode = (reply: Reply) => (reply.type === 'nack' ? reply.code : 'allowed');

/** A member who has used every path, so that the server has cached whatever it caches. */
async function createActiveMember(): Promise<
  Membership & { other: TestClient; observer: TestSocket }
> {
  const { ada, ben, classId } = await createClassWithTwoMembers(app);
  const askerSocket = await ada.connect();
  const messageId = await ask(askerSocket, classId, 'hello');
  askerSocket.close();
  const socket = await ben.connectTo(classId);
  const params = { classId };
  await ben.call('changePersona', { params, body: { anonymousName: 'Beaver' } });
  await socket.post(classId, 'hello too');
  await socket.request({ type: 'react', classId, messageId, emoji: '😂' });
  await ben.call('listMessages', { params, query: {} });
  await ben.call('searchMessages', { params, query: { query: 'hello' } });
  const observer = await ada.connectTo(classId);
  return { student: ben, socket, classId, messageId, other: ada, observer };
}

const everyUse = [
  'history',
  'search',
  'members',
  'rename',
  'post',
  'react',
  'edit',
  'delete',
  'vote',
  'live',
  'unread',
];
const toRejections = (code: string) => Object.fromEntries(everyUse.map((use) => [use, code]));

describe('an open connection', () => {
  test('an open connection can do nothing in a class that its account has left in another browser [LEAVE-8, HTTP-3]', async () => {
    const member = await createActiveMember();
    const otherBrowser = member.student.newBrowser();
    await otherBrowser.signIn();

    await otherBrowser.leave(member.classId);
    member.socket.send({ type: 'typing', classId: member.classId });
    expect(await useClass(member)).toEqual(toRejections('NOT_FOUND'));

    await member.other.post(member.classId, 'not for Ben');
    await member.observer.waitFor('events', ({ items }) => items.some(hasText('not for Ben')));
    expect(member.observer.frames.some(({ type }) => type === 'typing')).toBe(false);
    expect(JSON.stringify(member.socket.frames)).not.toContain('not for Ben');
  });
});

const hasText = (text: string) => (item: { kind: string; message?: { text: string } }) =>
  item.kind === 'posted' && item.message?.text === text;
