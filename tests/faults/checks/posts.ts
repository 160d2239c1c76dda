// Acknowledged posts appear once everywhere, refused ones nowhere, unknown ones at most once. No others
// appear.
import type { History, Operation } from '../history.ts';
import { outcomeOf, sortByRestore } from '../outcome.ts';
import type { Violation } from './violation.ts';

export function checkPosts(history: History): Violation[] {
  const { standing, undone } = sortByRestore(history);
  const posts = standing.filter((one) => one.kind === 'post');
  const deletable = new Set(
    standing
      .filter((one) => one.kind === 'delete' && outcomeOf(one) !== 'refused')
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
            const says = `${messageId} is in ${where}, though the backup did not hold it`;
            return { rule: 'nothing from nowhere', says };
          }),
        ...list.messages
          .filter(({ id }) => !known.has(id) && !undone.some((one) => one.messageId === id))
          .map(({ id, seq }): Violation => {
            return {
              rule: 'nothing from nowhere',
              says: `${id} at ${seq} in ${where} is nobody's`,
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
  const outcome = outcomeOf(post);
  const says = `${post.messageId} of ${post.client} (${outcome}) is ${found.length} times in ${where}`;
  if (outcome === 'acknowledged') {
    if (found.length === 0 && mayBeDeleted) return [];
    if (found.length !== 1) return [{ rule: 'acknowledged once everywhere', says }];
  }
  if (outcome === 'refused' && found.length > 0) return [{ rule: 'refused nowhere', says }];
  if (found.length > 1) return [{ rule: 'unknown none or one', says }];

  const seq = post.answers.find((answer) => answer.kind === 'acknowledged')?.seq;
  return found.flatMap((copy) => {
    const wrong: Violation[] = [];
    if (seq !== undefined && copy.seq !== seq) {
      const place = `${post.messageId} was acknowledged at ${seq} and is at ${copy.seq} in ${where}`;
      wrong.push({ rule: 'acknowledged once everywhere', says: place });
    }
    if (copy.memberId !== post.memberId) {
      const author = `${post.messageId} of ${post.memberId} is ${copy.memberId}'s in ${where}`;
      wrong.push({ rule: 'acknowledged once everywhere', says: author });
    }
    return wrong;
  });
}

/** A client retries until the post is acknowledged or refused. */
function checkRetriesFinished({ messageId, client, answers }: Operation): Violation[] {
  const ended = answers.some((one) => one.kind === 'acknowledged' || one.kind === 'refused');
  if (ended) return [];
  const says = `${messageId} of ${client} has no answer after ${answers.length} tries`;
  return [{ rule: 'retried to an end', says }];
}

function oneAcknowledgement({ messageId, client, answers }: Operation): Violation[] {
  const seqs = answers.flatMap((answer) => (answer.kind === 'acknowledged' ? [answer.seq] : []));
  const contradicted = answers.find((answer) => answer.kind === 'refused');
  const of = `${messageId} of ${client}`;
  if (new Set(seqs).size > 1) {
    return [{ rule: 'one acknowledgement', says: `${of} was acknowledged at ${seqs.join(', ')}` }];
  }
  if (seqs.length > 0 && contradicted) {
    const says = `${of} was acknowledged and also refused (${contradicted.code})`;
    return [{ rule: 'one acknowledgement', says }];
  }
  return [];
}
