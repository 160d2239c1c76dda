// What a light subscription learns of a commit: how many messages of others it added, and how many of them mention the
// member.
import { limits } from '#contract/limits.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import type { LogItem } from '#contract/socket.ts';
import { encodePersonalFrame, type EncodedFrame } from './frames.ts';

export interface Activity {
  /** The first and the last entry that this tells of. */
  readonly from: number;
  readonly to: number;
  /**
   * The frame for this member, encoded once for all who get the same one. Null if there is nothing to tell.
   *
   * @param recount the member must count again in any case
   */
  createFrame(member: ActivityReader, recount: boolean): EncodedFrame | null;
}

export interface ActivityReader {
  memberId: string;
  /** The member's staff persona, whose messages are the member's own, if there is one. */
  staffId?: string | null;
  /** Members whose messages do not count. The member gets the same frames of the same size as if they did. */
  ignored: ReadonlySet<string>;
}

interface Entries {
  from: number;
  to: number;
  items: readonly LogItem[];
}

export function createActivity(classId: string, { from, to, items }: Entries): Activity {
  const messages = items.flatMap((item) => {
    if (item.kind !== 'posted') return [];
    return { author: item.message.memberId, mentioned: listMentionedIds(item.message.text) };
  });
  const isCountStale = items.some(
    (item) =>
      item.kind === 'deleted' ||
      (item.kind === 'moderated' && item.moderation === 'removed') ||
      (item.kind === 'edited' && item.personas !== undefined),
  );
  const isClassChange = items.some(({ kind }) => kind === 'class');
  const frames = new Map<string, EncodedFrame>();

  return {
    from,
    to,
    createFrame({ memberId, staffId, ignored }, recount) {
      const isOwn = (author: string) => author === memberId || author === staffId;
      const ofOthers = messages.filter(({ author }) => !isOwn(author));
      const allPosted = ofOthers.length;
      const countedMessages =
        ignored.size === 0 ? ofOthers : ofOthers.filter(({ author }) => !ignored.has(author));
      const postedCount = countedMessages.length;
      const mentioning = countedMessages.filter(({ mentioned }) => mentioned.some(isOwn)).length;
      const mentions = Math.min(mentioning, limits.maxUnreadCount);
      const isRecount = recount || isCountStale;
      if (allPosted === 0 && !isRecount && !isClassChange) return null;
      const key = `${postedCount} ${mentions} ${isRecount}${allPosted === postedCount ? '' : ` ${allPosted}`}`;
      const cachedFrame = frames.get(key);
      if (cachedFrame) return cachedFrame;
      const frame = encodePersonalFrame(
        {
          type: 'activity',
          classId,
          seq: to,
          posted: postedCount,
          mentions,
          ...(isRecount && { recount: true }),
          ...(isClassChange && { classChanged: true }),
        },
        allPosted,
      );
      frames.set(key, frame);
      return frame;
    },
  };
}
