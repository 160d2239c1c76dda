// The frames that light subscriptions get after a commit: how many messages of other members it added, and how many of them
// mention the member.
import { limits } from '#contract/limits.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import type { LogItem } from '#contract/socket.ts';
import { encodeFrame, type EncodedFrame } from './frames.ts';

export interface Activity {
  /** The seqs of the first and the last entry of the commit. */
  readonly from: number;
  readonly to: number;
  /**
   * Creates the frame for this member, and encodes it once for all members who get the same frame.
   *
   * @param recount whether the browser must count again in any case
   * @returns null if nothing has changed for the member
   */
  createFrame(member: ActivityReader, recount: boolean): EncodedFrame | null;
}

export interface ActivityReader {
  memberId: string;
  /** The member's staff persona, whose messages are the member's own, if there is one. */
  staffId?: string | null;
  /** Members whose messages do not count. The size of the frames does not depend on them. */
  ignored: ReadonlySet<string>;
  /** Topics whose messages count only if they mention the member. */
  mutedTopics?: ReadonlySet<string>;
}

interface Entries {
  from: number;
  to: number;
  items: readonly LogItem[];
}

export function createActivity(classId: string, { from, to, items }: Entries): Activity {
  const messages = items.flatMap((item) => {
    if (item.kind !== 'posted') return [];
    const { memberId: author, text, topicId } = item.message;
    return { author, topicId, mentioned: listMentionedIds(text) };
  });
  const isCountStale = items.some(
    (item) =>
      item.kind === 'deleted' ||
      item.kind === 'moved' ||
      (item.kind === 'moderated' && item.moderation === 'removed') ||
      (item.kind === 'edited' && item.personas !== undefined),
  );
  const isClassChange = items.some(({ kind }) => kind === 'class');
  const frames = new Map<string, EncodedFrame>();

  return {
    from,
    to,
    createFrame({ memberId, staffId, ignored, mutedTopics }, recount) {
      const isReader = (id: string) => id === memberId || id === staffId;
      const messagesOfOthers = messages.filter(({ author }) => !isReader(author));
      const countedMessages =
        ignored.size === 0
          ? messagesOfOthers
          : messagesOfOthers.filter(({ author }) => !ignored.has(author));
      const isMentioning = ({ mentioned }: (typeof messages)[number]) => mentioned.some(isReader);
      const postedCount = countedMessages.filter(
        (message) => !mutedTopics?.has(message.topicId ?? '') || isMentioning(message),
      ).length;
      const mentioningCount = countedMessages.filter(isMentioning).length;
      const mentions = Math.min(mentioningCount, limits.maxUnreadCount);
      const isRecount = recount || isCountStale;
      if (messagesOfOthers.length === 0 && !isRecount && !isClassChange) return null;
      const key = `${postedCount} ${mentions} ${isRecount}`;
      const cachedFrame = frames.get(key);
      if (cachedFrame) return cachedFrame;
      const frame = encodeFrame({
        type: 'activity',
        classId,
        seq: to,
        posted: postedCount,
        mentions,
        ...(isRecount && { recount: true }),
        ...(isClassChange && { classChanged: true }),
      });
      frames.set(key, frame);
      return frame;
    },
  };
}
