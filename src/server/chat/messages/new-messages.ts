// Which new messages concern a member.
import type { KeyObject } from 'node:crypto';
import { listMentionedIds } from '#contract/mentions.ts';
import type { NotifyChoice } from '#contract/notifications.ts';
import type { LogItem } from '#contract/socket.ts';
import { deriveId } from '#server/chat/members/member-ids.ts';
import { deriveStaffId } from '#server/chat/members/staff-ids.ts';

export interface NewMessage {
  id: string;
  seq: number;
  createdAt: number;
  /** The author's memberId. */
  author: string;
  mentioned: readonly string[];
  topicId?: string | undefined;
  /** The author of the quoted message, or null. */
  quotedMemberId: string | null;
  /**
   * Who alone is notified. If the message was marked as the answer to a question, the memberId of who asked it, and `seq` is that of
   * the mark. If `isPrivate`, an accountId, also one of staff. Nodes send each other this field, so it keeps its name.
   */
  asker?: string;
  /** Something new is to be read in a private question. It is no message, so no seq reads it. */
  isPrivate?: true;
}

/** The ids by which a message can name an account in a class: its memberIds, anonymous and as staff, and the accountId. */
export type RecipientIds = readonly string[];

/** Derives both memberIds, because the caller may not know whether the account speaks as staff. */
export function deriveRecipientIds(
  personaKey: KeyObject,
  classSalt: string,
  accountId: string,
  classId: string,
): RecipientIds {
  return [
    deriveId(personaKey, classSalt, accountId, classId).id,
    deriveStaffId(personaKey, classSalt, accountId, classId),
    accountId,
  ];
}

export function toNewMessages(items: readonly LogItem[]): NewMessage[] {
  return items.flatMap((item) => {
    if (item.kind !== 'posted') return [];
    const { id, seq, createdAt, memberId, text, quote, topicId } = item.message;
    const quotedMemberId = quote?.memberId ?? null;
    return {
      id,
      seq,
      createdAt,
      author: memberId,
      mentioned: listMentionedIds(text),
      topicId,
      quotedMemberId,
    };
  });
}

/** Tells whether the message can concern a member who wants only mentions and replies. */
export function isDirected({ mentioned, quotedMemberId, asker }: NewMessage): boolean {
  return mentioned.length > 0 || quotedMemberId !== null || asker !== undefined;
}

/** Tells whether the member wants a notification of the message. No one is notified of their own messages. */
export function hasToNotify(
  message: NewMessage,
  recipientIds: RecipientIds,
  notify: NotifyChoice,
): boolean {
  if (recipientIds.includes(message.author) || notify === 'none') return false;
  if (message.asker !== undefined) return recipientIds.includes(message.asker);
  return notify === 'all' || isMentioned(message, recipientIds) || isReplyTo(message, recipientIds);
}

export function isMentioned({ mentioned }: NewMessage, recipientIds: RecipientIds): boolean {
  return mentioned.some((memberId) => recipientIds.includes(memberId));
}

function isReplyTo({ quotedMemberId }: NewMessage, recipientIds: RecipientIds): boolean {
  return quotedMemberId !== null && recipientIds.includes(quotedMemberId);
}
