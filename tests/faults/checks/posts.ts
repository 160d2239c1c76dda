// Acknowledged posts appear once everywhere, rejected ones nowhere, unknown ones at most once. No others
// appear.
import type { History, Operation } from '../history.ts';
import { toOutcome, sortByRestore } from '../outcome.ts';
import type { Violation } from './violation.ts';

export function checkPosts(history: History): Violation[] {
  const { standing, undone } = sortByRestore(history);
  const posts = standing.filter((operation) => operation.kind === 'post');
  const deletable = new Set(
    standing
      .filter((operation) => operation.kind === 'delete' && toOutcome(operation) !== 'rejected')
      .map((operation) => operation.messageId),
  );
  return [
    ...posts.flatMap(checkRetriesFinished),
    ...posts.flatMap(checkAcknowledgements),
    ...history.lists.flatMap((list) => {
      const copies = Map.groupBy(list.messages, (message) => message.id);
      const place = `${list.client}'s list`;
      const postsOfClass = posts.filter((post) => post.classId === list.classId);
      const knownIds = new Set(postsOfClass.map((post) => post.messageId));
      return [
        ...postsOfClass.flatMap((post) => {
          const foundCopies = copies.get(post.messageId) ?? [];
          return checkCopies(post, foundCopies, deletable.has(post.messageId), place);
        }),
        ...undone
          .filter((operation) => operation.kind === 'post' && copies.has(operation.messageId))
          .map(({ messageId }): Violation => {
            const detail = `${messageId} is in ${place}, but not in the backup`;
            return { rule: 'no unknown messages', detail };
          }),
        ...list.messages
          .filter(
            ({ id }) =>
              !knownIds.has(id) && !undone.some((operation) => operation.messageId === id),
          )
          .map(({ id, seq }): Violation => {
            return {
              rule: 'no unknown messages',
              detail: `${id} at ${seq} in ${place} was never sent`,
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
  placeName: string,
): Violation[] {
  const outcome = toOutcome(post);
  const detail = `${post.messageId} of ${post.client} (${outcome}) appears ${foundCopies.length} times in ${placeName}`;
  if (outcome === 'acknowledged') {
    if (foundCopies.length === 0 && mayBeDeleted) return [];
    if (foundCopies.length !== 1) return [{ rule: 'acknowledged once everywhere', detail }];
  }
  if (outcome === 'rejected' && foundCopies.length > 0) {
    return [{ rule: 'refused nowhere', detail }];
  }
  if (foundCopies.length > 1) return [{ rule: 'unknown at most once', detail }];

  const seq = post.answers.find((answer) => answer.kind === 'acknowledged')?.seq;
  return foundCopies.flatMap((copy) => {
    const violations: Violation[] = [];
    if (seq !== undefined && copy.seq !== seq) {
      const place = `${post.messageId} was acknowledged at ${seq} and is at ${copy.seq} in ${placeName}`;
      violations.push({ rule: 'acknowledged once everywhere', detail: place });
    }
    if (copy.memberId !== post.memberId) {
      const author = `${post.messageId} of ${post.memberId} is ${copy.memberId}'s in ${placeName}`;
      violations.push({ rule: 'acknowledged once everywhere', detail: author });
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
  const contradicted = answers.find((answer) => answer.kind === 'rejected');
  const author = `${messageId} of ${client}`;
  if (new Set(seqs).size > 1) {
    return [
      { rule: 'one acknowledgement', detail: `${author} was acknowledged at ${seqs.join(', ')}` },
    ];
  }
  if (seqs.length > 0 && contradicted) {
    const detail = `${author} was acknowledged and also refused (${contradicted.code})`;
    return [{ rule: 'one acknowledgement', detail }];
  }
  return [];
}
