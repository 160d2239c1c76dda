// A request for each call and each frame of the contract, with the ids of a class.
import { randomUUID } from 'node:crypto';
import type { CallInput } from '#contract/http.ts';
import { routes, routeUrl, type RouteName } from '#contract/routes.ts';
import type { ClientFrame } from '#contract/socket.ts';
import { browserKeys } from '#tests/support/notifications.ts';
import { password, someClass, type TestClient } from '#tests/support/test-client.ts';

export interface Scene {
  classId: string;
  /**
   * The message that the person tries to change: the former member and the author use their own, all others
   * use the author's.
   */
  messageOf(person: string): string;
  /** The author's. */
  memberId: string;
  /** The case of the author's message, which the member reported. */
  caseId: string;
  /** An escalation of the case. */
  reviewId: string;
}

/** The id of a device or picture that does not exist. */
export const unknownId = 'AAAAAAAAAAAAAAAA';

const nobody = 'nobody@university.edu';

/** The bodies of the calls that take one. */
const bodies: { [Name in RouteName]?: (person: Sender, scene: Scene) => unknown } = {
  signUp: () => ({ email: `${randomUUID()}@university.edu`, password }),
  signIn: ({ client }) => ({ email: client.email, password }),
  requestPasswordReset: ({ client }) => ({ email: client.email }),
  resetPassword: () => ({ token: 'none', newPassword: password }),
  verifyEmail: () => ({ token: 'none', password }),
  startSignOn: () => ({ again: false }),
  finishSignOn: () => ({ response: '?code=none' }),
  joinSignOn: () => ({ password }),
  changePassword: () => ({ currentPassword: 'not this one', newPassword: `${password} 2` }),
  deleteAccount: () => ({ password: 'not this one', messages: 'delete' }),
  createClass: () => someClass,
  editClass: () => ({ ...someClass, year: 2026 }),
  mergeClass: () => ({ keptClassId: unknownId }),
  importClasses: () => ({
    apply: true,
    lines: [{ line: 2, fields: { ...someClass, semesterSeason: 'Fall', year: 2026 } }],
  }),
  announce: () => ({
    ...{ classId: null, text: 'The server restarts at six.' },
    endsAt: Date.now() + 3_600_000,
  }),
  endTerm: () => ({ semesterSeason: 'Fall', year: 1999 }),
  findAccount: () => ({ email: nobody }),
  resendVerification: () => ({ email: nobody }),
  sendResetLink: () => ({ email: nobody }),
  correctAddress: () => ({ email: nobody, newEmail: `new.${nobody}` }),
  endAccountSessions: () => ({ email: nobody }),
  exportFoundAccount: () => ({ email: nobody }),
  deleteFoundAccount: () => ({ email: nobody, repeatedEmail: nobody }),
  changeClassSettings: () => ({ version: 0, rules: 'Be kind.' }),
  changePersona: ({ name }) => ({ anonymousName: `Blue ${name}` }),
  reportMember: ({ name }, { messageOf }) => ({ messageId: messageOf(name), reason: 'spam' }),
  decideCase: () => ({ version: 1, decision: 'keep', reason: 'Harmless' }),
  liftSanction: () => ({ reason: 'Done' }),
  requestUnmasking: () => ({ password, reason: 'Order 12/345 of the district court' }),
  confirmUnmasking: () => ({ password }),
  liftSuspension: () => ({ reason: 'Done' }),
  decideReview: () => ({ version: 1, decision: 'dismiss', reason: 'Not serious' }),
  appeal: () => ({ text: 'I did nothing' }),
  grantRole: (_, { classId }) => ({
    ...{ email: 'nobody@university.edu', role: 'staff' },
    ...{ classId, staffName: 'Prof. Lee' },
  }),
  savePreferences: () => ({ ignored: [], hidden: [], muted: true, version: 0 }),
  saveNotifications: () => ({ showText: true, quietHours: null, snoozedUntil: null }),
  saveDigest: () => ({ digest: true }),
  subscribePush: () => ({ endpoint: `http://127.0.0.1:9/${randomUUID()}`, keys: browserKeys }),
  chooseNotifications: () => ({ notify: 'all' }),
  searchClasses: () => ({ requests: [{ indexName: 'classSearch', query: '' }] }),
} satisfies {
  [Name in RouteName]?: (person: Sender, scene: Scene) => CallInput<Name>[keyof CallInput<Name>];
};

interface Sender {
  /** Such as 'author'. */
  name: string;
  client: TestClient;
}

/** Makes the call with input that is right for the scene. */
export async function makeCall(route: RouteName, sender: Sender, scene: Scene): Promise<Response> {
  const { classId, caseId, memberId, reviewId } = scene;
  const { method } = routes[route];
  const search = { indexName: 'classSearch', facetName: 'classSchedule', objectID: classId };
  const unknown = {
    ...{ deviceId: unknownId, imageId: unknownId, sanctionId: unknownId },
    ...{ requestId: unknownId, announcementId: unknownId },
    ...{ caseId, memberId, reviewId, suspensionId: unknownId, roleId: unknownId },
  };
  const params = { classId, key: 'default', ...unknown, ...search };
  const query =
    route === 'unsubscribeDigest'
      ? { token: 'none' }
      : route === 'searchMessages'
        ? { query: 'author' }
        : route === 'previewMerge'
          ? { keptClassId: unknownId }
          : route === 'listCases'
            ? { classId }
            : {};
  const path = routeUrl(route, { params, query });
  const body = bodies[route]?.(sender, scene);
  return sender.client.fetch(path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
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
  read: ({ classId }) => ({ type: 'read', classId, seq: 1 }),
  typing: ({ classId }) => ({ type: 'typing', classId }),
  viewing: ({ classId }) => ({ type: 'viewing', classId, inView: true }),
};
