// Acknowledged posts appear once everywhere, rejected ones nowhere, unknown ones at most once. No others
// appear.
import type { History, Operation } from '../history.ts';
import { toOutcome, sortByRestore } from '../outcome.ts';
import type { Violation } from './violation.ts';

export function checkPosts(history: History): Violation[] {
  const { standing, undone } = sortByRestore(history);
  const posts = standing.filter((one) => one.kind === 'post');
  const deletable = new Set(
    standing
      .filter((one) => one.kind === 'delete' && toOutcome(one) !== 'rejected')
      .map((one) => one.messageId),
  );
  return [
    ...posts.flatMap(checkRetriesFinished),
    ...posts.flatMap(oneAcknowledgement),
    ...history.lists.flatMap((list) => {
      const copies = Map.groupBy(list.messages, (message) => message.id);
      const where = `${list.client}'s list`;
      const mine = posts.filter((post) => post.classId === list.classId);
      const known = new Set(mine.map((post) => post.messageId));
      return [
        ...mine.flatMap((post) => {
          const found = copies.get(post.messageId) ?? [];
          return checkCopies(post, found, deletable.has(post.messageId), where);
        }),
        ...undone
          .filter((one) => one.kind === 'post' && copies.has(one.messageId))
          .map(({ messageId }): Violation => {
            const detail = `${messageId} is in ${where}, but not in the backup`;
            return { rule: 'no unknown messages', detail };
          }),
        ...list.messages
          .filter(({ id }) => !known.has(id) && !undone.some((one) => one.messageId === id))
          .map(({ id, seq }): Violation => {
            return {
              rule: 'no unknown messages',
              detail: `${id} at ${seq} in ${where} was never sent`,
            };
          }),
      ];
    }),
  ];
}

function checkCopies(
  post: Operation,
  found: readonly { seq: number; memberId: string }[],
  mayBeDeleted: boolean,
  where: string,
): Violation[] {
  const outcome = toOutcome(post);
  const detail = `${post.messageId} of ${post.client} (${outcome}) appears ${found.length} times in ${where}`;
  if (outcome === 'acknowledged') {
    if (found.length === 0 && mayBeDeleted) return [];
    if (found.length !== 1) return [{ rule: 'acknowledged once everywhere', detail }];
  }
  if (outcome === 'rejected' && found.length > 0) return [{ rule: 'refused nowhere', detail }];
  if (found.length > 1) return [{ rule: 'unknown at most once', detail }];

  const seq = post.answers.find((answer) => answer.kind === 'acknowledged')?.seq;
  return found.flatMap((copy) => {
    const wrong: Violation[] = [];
    if (seq !== undefined && copy.seq !== seq) {
      const place = `${post.messageId} was acknowledged at ${seq} and is at ${copy.seq} in ${where}`;
      wrong.push({ rule: 'acknowledged once everywhere', detail: place });
    }
    if (copy.memberId !== post.memberId) {
      const author = `${post.messageId} of ${post.memberId} is ${copy.memberId}'s in ${where}`;
      wrong.push({ rule: 'acknowledged once everywhere', detail: author });
    }
    return wrong;
  });
}

/** A client retries until the post is acknowledged or rejected. */
function checkRetriesFinished({ messageId, client, answers }: Operation): Violation[] {
  const ended = answers.some((one) => one.kind === 'acknowledged' || one.kind === 'rejected');
  if (ended) return [];
  const detail = `${messageId} of ${client} has no answer after ${answers.length} tries`;
  return [{ rule: 'retried until answered', detail }];
}

function oneAcknowledgement({ messageId, client, answers }: Operation): Violation[] {
  const seqs = answers.flatMap((answer) => (answer.kind === 'acknowledged' ? [answer.seq] : []));
  const contradicted = answers.find((answer) => answer.kind === 'rejected');
  const of = `${messageId} of ${client}`;
  if (new Set(seqs).size > 1) {
    return [
      { rule: 'one acknowledgement', detail: `${of} was acknowledged at ${seqs.join(', ')}` },
    ];
  }
  if (seqs.length > 0 && contradicted) {
    const detail = `${of} was acknowledged and also refused (${contradicted.code})`;
    return [{ rule: 'one acknowledgement', detail }];
  }
  return [];
}
