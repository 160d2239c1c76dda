// A call commits only through the queues that `createRoute` gives it, which check its session in the transaction.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { routes, type RouteName } from '#contract/routes.ts';
import { listRegisteredCalls } from '#tests/support/registered-calls.ts';

/** Calls that change something and need no session, and why: only they commit without the check. */
const withoutSession: { [Name in RouteName]?: string } = {
  signUp: 'There is no account yet.',
  signIn: 'The session begins with it.',
  signOut: 'It ends the session.',
  requestPasswordReset: 'Its owner is signed out.',
  resetPassword: 'The mailed link is the right.',
  verifyEmail: 'The mailed link and the password are the right.',
  startSignOn: 'It stores nothing.',
  finishSignOn: 'The session begins with it.',
  mailSignOnLink: 'The cookie of a sign-in at the provider is the right.',
  joinSignOn: 'That cookie is, with the password or the mailed link.',
  unsubscribeDigest: 'The link in the mail is the right.',
  countInterfaceError: 'It stores nothing.',
};

/** Words by which a file could get a queue without the check. */
const queueWords =
  /\bCommitQueue\b|\bCommits\b|\b(?:parts|dependencies|server)\.(?:c|accountC)ommits\b|['"](?:c|accountC)ommits['"]/g;

const findQueueWords = (text: string) => [...text.matchAll(queueWords)].map(([word]) => word);

test('each call is registered once in a file that the tests know [AUTH-69]', () => {
  const names = listRegisteredCalls().map(({ name }) => name);

  expect(names.toSorted()).toEqual(Object.keys(routes).toSorted());
});

test('each call that changes something needs a session, or the table has a reason [AUTH-69]', () => {
  const open = listRegisteredCalls()
    .filter(({ name, access }) => access === 'public' && routes[name].method !== 'GET')
    .map(({ name }) => name);

  expect(open.toSorted()).toEqual(Object.keys(withoutSession).toSorted());
});

test('no file that registers calls has a commit queue without the check of the session [AUTH-69]', () => {
  const files = new Set(listRegisteredCalls().map(({ file }) => file));

  const calls = [...files].flatMap((file) =>
    findQueueWords(readFileSync(file, 'utf8')).map((word) => `${file}: ${word}`),
  );

  expect(calls).toEqual([]);
});

test.each([
  ['a queue', 'const { commits }: { commits: CommitQueue } = dependencies;', ['CommitQueue']],
  ['a part of one', 'commits: Commits;', ['Commits']],
  ['a part of the server', "server: Pick<Server, 'db' | 'accountCommits'>", ["'accountCommits'"]],
  ['what the call gets', 'async ({ commits, account }) => act(commits, account)', []],
  ['the type of what the call gets', 'commits: CallCommits', []],
])('the check finds or accepts %s in a file of calls [AUTH-69]', (_, text, words) => {
  expect(findQueueWords(text)).toEqual(words);
});
