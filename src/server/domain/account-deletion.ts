// The end of an account. Whatever step the server dies in, the account is there until the last one:
// its owner asks again, and what was done already is found done.
import type { KeyObject } from 'node:crypto';
import type { CommitQueue, Write } from '../storage/commit-queue.ts';
import type { Reader } from '../storage/database.ts';
import { deleteAccountRow } from '../storage/queries/accounts.ts';
import {
  deletePersona,
  listMessagesOf,
  listReactionsOf,
  spansOf,
} from '../storage/queries/appearances.ts';
import { listEnrolments } from '../storage/queries/enrolments.ts';
import { deleteSessions } from '../storage/queries/sessions.ts';
import { appearancesOf, type Appearance } from './appearances.ts';
import { leaveClass } from './membership.ts';
import { removeMessage, removeReaction } from './messages.ts';

export interface DeletionParts {
  db: Reader;
  commits: CommitQueue;
  personaKey: KeyObject;
  onSessionEnded(accountId: string, sessionId: string): void;
}

/** So many changes go into one commit: none keeps others waiting for long. */
const changesAtOnce = 20;

/**
 * Nothing is written down of a deletion that is under way: a row that named the account beside what
 * happens in the rooms would say who it was there.
 *
 * @param keepMessages they stay under the personas, to which nothing leads any more
 */
export async function deleteAccount(
  parts: DeletionParts,
  accountId: string,
  asking: { sessionId: string },
  keepMessages: boolean,
): Promise<void> {
  const { commits, onSessionEnded } = parts;
  const others = await commits.write(({ db }) => {
    return deleteSessions(db, accountId, { but: asking.sessionId });
  });
  for (const sessionId of others) onSessionEnded(accountId, sessionId);
  do {
    // First: who is in no class writes nothing more.
    await leaveAll(parts, accountId);
    if (!keepMessages) await eraseAppearances(parts, accountId);
  } while (!(await endAccount(parts, accountId)));
}

async function leaveAll({ db, commits }: DeletionParts, accountId: string): Promise<void> {
  for (const { classId } of await listEnrolments(db, accountId)) {
    await commits.write((write) => leaveClass(write, accountId, classId));
  }
}

/** @returns false where the account has joined a class meanwhile */
async function endAccount(parts: DeletionParts, accountId: string): Promise<boolean> {
  const ended = await parts.commits.write(async (write) => {
    if ((await listEnrolments(write.db, accountId)).length > 0) return null;
    const sessions = await deleteSessions(write.db, accountId, 'all');
    await deleteAccountRow(write.db, accountId);
    // Of the e-mail.
    write.erases();
    return sessions;
  });
  for (const sessionId of ended ?? []) parts.onSessionEnded(accountId, sessionId);
  return ended !== null;
}

async function eraseAppearances(parts: DeletionParts, accountId: string): Promise<void> {
  for await (const found of appearancesOf(parts.db, parts.personaKey, accountId)) {
    if (found.persona) await eraseAppearance(parts, found);
  }
}

async function eraseAppearance(
  { db, commits }: DeletionParts,
  { class: { classId, seq }, memberId }: Appearance,
): Promise<void> {
  for await (const { from, to } of spansOf(seq)) {
    const messages = await listMessagesOf(db, classId, memberId, from, to);
    const reactions = await listReactionsOf(db, classId, memberId, from, to);
    const changes = [
      ...messages.map((message) => (write: Write) => removeMessage(write, message)),
      ...reactions.map((reaction) => (write: Write) => removeReaction(write, reaction, memberId)),
    ];
    for (let done = 0; done < changes.length; done += changesAtOnce) {
      await commits.write(async (write) => {
        for (const change of changes.slice(done, done + changesAtOnce)) await change(write);
      });
    }
  }
  await commits.write((write) => deletePersona(write.db, classId, memberId));
}
