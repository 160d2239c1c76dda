// Checks that each list shows an acknowledged post exactly once, a post with an unknown outcome at most once, a rejected
// post never, and no message that was not sent.
import type { History, Operation } from '../history.ts';
import { toOutcome, splitByRestore } from '../outcome.ts';
import type { Violation } from './violation.ts';

export function checkPosts(history: History): Violation[] {
  const { survivingOperations, undoneOperations } = splitByRestore(history);
  const posts = survivingOperations.filter((operation) => operation.kind === 'post');
  const possiblyDeletedIds = new Set(
    survivingOperations
      .filter((operation) => operation.kind === 'delete' && toOutcome(operation) !== 'rejected')
      .map((operation) => operation.messageId),
  );
  return [
    ...posts.flatMap(checkRetriesFinished),
    ...posts.flatMap(checkAcknowledgements),
    ...history.lists.flatMap((list) => {
      const copies = Map.groupBy(list.messages, (message) => message.id);
      const listName = `${list.client}'s list`;
      const postsOfClass = posts.filter((post) => post.classId === list.classId);
      const knownIds = new Set(postsOfClass.map((post) => post.messageId));
      return [
        ...postsOfClass.flatMap((post) => {
          const foundCopies = copies.get(post.messageId) ?? [];
          return checkCopies(post, foundCopies, possiblyDeletedIds.has(post.messageId), listName);
        }),
        ...undoneOperations
          .filter((operation) => operation.kind === 'post' && copies.has(operation.messageId))
          .map(({ messageId }): Violation => {
            const detail = `${messageId} is in ${listName}, but not in the backup`;
            return { rule: 'no unknown messages', detail };
          }),
        ...list.messages
          .filter(
            ({ id }) =>
              !knownIds.has(id) &&
              !undoneOperations.some((operation) => operation.messageId === id),
          )
          .map(({ id, seq }): Violation => {
            return {
              rule: 'no unknown messages',
              detail: `${id} at ${seq} in ${listName} was never sent`,
            };
          }),
      ];
    }),
  ];
}

function checkCopies(
  post: Operation,
  foundCopies: readonly { seq: number; memberId: string }[],
  mayBeDeleted: boolean,
  listName: string,
): Violation[] {
  const outcome = toOutcome(post);
  const detail = `${post.messageId} of ${post.client} (${outcome}) appears ${foundCopies.length} times in ${listName}`;
  if (outcome === 'acknowledged') {
    if (foundCopies.length === 0 && mayBeDeleted) return [];
    if (foundCopies.length !== 1) return [{ rule: 'acknowledged once everywhere', detail }];
  }
  if (outcome === 'rejected' && foundCopies.length > 0) {
    return [{ rule: 'rejected nowhere', detail }];
  }
  if (foundCopies.length > 1) return [{ rule: 'unknown at most once', detail }];

  const seq = post.answers.find((answer) => answer.kind === 'acknowledged')?.seq;
  return foundCopies.flatMap((copy) => {
    const violations: Violation[] = [];
    if (seq !== undefined && copy.seq !== seq) {
      violations.push({
        rule: 'acknowledged once everywhere',
        detail: `${post.messageId} was acknowledged at ${seq} and is at ${copy.seq} in ${listName}`,
      });
    }
    if (copy.memberId !== post.memberId) {
      violations.push({
        rule: 'acknowledged once everywhere',
        detail: `${post.messageId} is by ${post.memberId}, but by ${copy.memberId} in ${listName}`,
      });
    }
    return violations;
  });
}

/** A client retries until the post is acknowledged or rejected. */
function checkRetriesFinished({ messageId, client, answers }: Operation): Violation[] {
  const hasEnded = answers.some(
    (answer) => answer.kind === 'acknowledged' || answer.kind === 'rejected',
  );
  if (hasEnded) return [];
  const detail = `${messageId} of ${client} has no answer after ${answers.length} tries`;
  return [{ rule: 'retried until answered', detail }];
}

function checkAcknowledgements({ messageId, client, answers }: Operation): Violation[] {
  const seqs = answers.flatMap((answer) => (answer.kind === 'acknowledged' ? [answer.seq] : []));
  const rejection = answers.find((answer) => answer.kind === 'rejected');
  const post = `${messageId} of ${client}`;
  if (new Set(seqs).size > 1) {
    return [
      { rule: 'one acknowledgement', detail: `${post} was acknowledged at ${seqs.join(', ')}` },
    ];
  }
  if (seqs.length > 0 && rejection) {
    const detail = `${post} was acknowledged and also rejected (${rejection.code})`;
    return [{ rule: 'one acknowledgement', detail }];
  }
  return [];
}
