// A call commits only through the queues that `createRoute` gives it, which check its session in the transaction.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callNames } from '#tests/calls/calls.ts';
import { listRegisteredCalls } from '#tests/support/registered-calls.ts';

/** Words by which a file could get a queue without the check. */
const queueWords =
  /\bCommitQueue\b|\bCommits\b|\b(?:parts|dependencies|server)\.(?:c|accountC)ommits\b|['"](?:c|accountC)ommits['"]/g;

const findQueueWords = (text: string) => [...text.matchAll(queueWords)].map(([word]) => word);

test('each call is registered once, so that the checks of its definition run [AUTH-69]', () => {
  const registeredNames = listRegisteredCalls().map(({ name }) => name);

  expect(registeredNames.toSorted()).toEqual(callNames.toSorted());
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
