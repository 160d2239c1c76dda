// Makes each call, and has each frame of the contract, with the ids of a class.
import { randomUUID } from 'node:crypto';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { createExampleInput } from '#tests/support/example-inputs.ts';
import { password, type TestClient } from '#tests/support/test-client.ts';

export interface Scene {
  classId: string;
  /**
   * The message that the person tries to change: the former member and the author use their own, all others
   * use the author's.
   */
  getMessageId(person: string): string;
  /** The author's. */
  pollId: string;
  /** The question of the member that waits for release. */
  waitingId: string;
  presenterToken: string;
  /** The author's. */
  memberId: string;
  /** The case of the author's message, which the member reported. */
  caseId: string;
  /** An escalation of the case. */
  reviewId: string;
}

interface Sender {
  /** Such as 'author'. */
  name: string;
  client: TestClient;
}

/** The calls that would end the account or sign it out with the right password. */
const withWrongPassword: readonly RouteName[] = ['changePassword', 'deleteAccount'];

/** Makes the call with input that is right for the scene. */
export function makeCall(route: RouteName, sender: Sender, scene: Scene): Promise<Response> {
  const { client, name } = sender;
  const { classId, caseId, memberId, reviewId } = scene;
  const messageIds: { [Name in RouteName]?: string } = {
    readPoll: scene.pollId,
    closePoll: scene.pollId,
    releaseQuestion: scene.waitingId,
    returnQuestion: scene.waitingId,
    sendWaiting: scene.waitingId,
    withdrawWaiting: scene.waitingId,
  };
  const { params, query, body } = createExampleInput(route, {
    email: client.email,
    password: withWrongPassword.includes(route) ? 'not this one' : password,
    supportedEmail: 'nobody@university.edu',
    classId,
    messageId: messageIds[route] ?? scene.getMessageId(name),
    caseVersion: 1,
    ids: { caseId, memberId, reviewId },
  });
  // Another session of the caller would end the one of the socket when it signs out other devices.
  const browser = route === 'signIn' ? client.newBrowser() : client;
  return browser.fetch(toRouteUrl(route, { params, query }), {
    method: routes[route].method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(name === 'presenter' && { headers: { 'presenter-token': scene.presenterToken } }),
  });
}

export const frames: {
  [Type in ClientFrame['type']]: (
    ids: { classId: string; messageId: string },
    rid: number,
  ) => Extract<ClientFrame, { type: Type }>;
} = {
  subscribe: ({ classId }, rid) => ({ type: 'subscribe', rid, classId }),
  unsubscribe: ({ classId }) => ({ type: 'unsubscribe', classId }),
  post: ({ classId }, rid) => ({ type: 'post', rid, classId, id: randomUUID(), text: 'a new one' }),
  edit: (ids, rid) => ({ type: 'edit', rid, ...ids, text: `another text ${rid}` }),
  delete: (ids, rid) => ({ type: 'delete', rid, ...ids }),
  react: (ids, rid) => ({ type: 'react', rid, ...ids, emoji: '👍' }),
  vote: (ids, rid) => ({ type: 'vote', rid, ...ids, voted: true }),
  choose: (ids, rid) => ({ type: 'choose', rid, ...ids, choices: [0] }),
  answer: (ids, rid) => ({ type: 'answer', rid, ...ids, answerId: null }),
  done: (ids, rid) => ({ type: 'done', rid, ...ids, done: true }),
  read: ({ classId }) => ({ type: 'read', classId, seq: 1 }),
  typing: ({ classId }) => ({ type: 'typing', classId }),
  viewing: ({ classId }) => ({ type: 'viewing', classId, inView: true }),
};
