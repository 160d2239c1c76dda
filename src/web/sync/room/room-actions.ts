// What the member does in one class: writes, deletes, edits, reacts and votes. Messages, deletions, votes and marks wait in
// the outbox until they are sent, and until then an edit changes them there. Other edits and reactions need a connection.
import { attempt } from '#web/attempt.ts';
import type { StaffSelf } from '#contract/entities.ts';
import { getText } from '#web/get-text.ts';
import { requireDone, type Requests } from '#web/sync/engine/requests.ts';
import type { OutboxSender } from '#web/sync/outbox/outbox-sender.ts';
import type { OutboxEntry, QuestionMark } from '#web/sync/outbox/outbox-storage.ts';
import { createMessageId, type Outbox } from '#web/sync/outbox/outbox.ts';
import type { UnsentQuotes } from '#web/sync/outbox/unsent-quotes.ts';
import type { PictureCalls } from '#web/sync/uploads/browser-pictures.ts';
import type { PictureUploads } from '#web/sync/uploads/picture-uploads.ts';
import type { Staging } from '#web/sync/uploads/staging.ts';
import type { PendingReactions } from './pending-reactions.ts';
import type { PreparedPost, Room } from './room.ts';
import type { SpeakerChoice } from './speaker.ts';

export type RoomActions = Pick<
  Room,
  | 'speakAs'
  | 'post'
  | 'postPoll'
  | 'postPrepared'
  | 'retry'
  | 'cancel'
  | 'discard'
  | 'edit'
  | 'remove'
  | 'react'
  | 'vote'
  | 'choose'
  | 'markAnswer'
  | 'markDone'
>;

interface Dependencies {
  outbox: Outbox;
  sender: OutboxSender;
  requests: Pick<Requests, 'send'>;
  pictures: Pick<PictureCalls, 'remove'>;
  uploads: Pick<PictureUploads, 'cancel'>;
  staging: Pick<Staging, 'getSnapshot' | 'take'>;
  speaker: SpeakerChoice;
  /** The number of the icon with which a newcomer appears. */
  findNewcomerIcon(): number | undefined;
  quotes: Pick<UnsentQuotes, 'add'>;
  reactions: Pick<PendingReactions, 'add'>;
  /** The member's staff persona. */
  staff(): StaffSelf | null;
  /** The topic of the next message, or of a reply to this one. */
  findTopic(replyTo: string | null): string | undefined;
  /** Shows where the sent message will be. */
  showNewest(topicId: string | undefined): void;
  refreshView(): void;
}

export function createRoomActions(classId: string, dependencies: Dependencies): RoomActions {
  const { outbox, sender, requests, staging, speaker, reactions, refreshView } = dependencies;
  const getStaffId = () => dependencies.staff()?.persona.memberId;
  const sendMark = (mark: QuestionMark, staffId?: string) => {
    sender.sendNow([outbox.addMark({ classId, mark, staffId })]);
  };

  return {
    speakAs(next) {
      const { pictures, reading } = staging.getSnapshot();
      if (pictures.length > 0 || reading) return;
      speaker.set(next);
      refreshView();
    },

    post(text, replyTo, isQuestion) {
      addMessage(classId, dependencies, {
        pictures: staging.take(),
        text,
        replyTo: replyTo ?? null,
        ...(isQuestion && { question: true as const }),
      });
    },

    postPoll(text, poll) {
      addMessage(classId, dependencies, { pictures: [], text: text.trim(), replyTo: null, poll });
    },

    postPrepared: (item) => addPrepared(classId, dependencies, item),

    retry(id) {
      outbox.retry(id);
      sender.send();
    },

    cancel(id) {
      outbox.fail(id, getText('sync.message.canceled'));
      for (const picture of outbox.find(id)?.pictures ?? []) {
        dependencies.uploads.cancel(picture.id);
      }
    },

    discard(id) {
      const unsent = outbox.find(id)?.pictures ?? [];
      outbox.remove([id]);
      for (const { imageId } of unsent) {
        // Otherwise the server deletes it after an hour.
        if (imageId) void dependencies.pictures.remove(classId, imageId).catch(() => undefined);
      }
    },

    async edit(messageId, text) {
      if (outbox.find(messageId) && !sender.isAcknowledged(messageId)) {
        outbox.retry(messageId, text);
        return sender.send();
      }
      const edit = { type: 'edit', classId, messageId, text } as const;
      requireDone(await requests.send(edit));
    },

    remove({ id, memberId }) {
      const author = memberId === getStaffId() ? memberId : undefined;
      sender.sendNow([outbox.addDeletion({ classId, deletes: id, staffId: author })]);
    },

    vote(id, voted) {
      sendMark({ type: 'vote', messageId: id, voted });
    },

    choose(id, choices) {
      sendMark({ type: 'choose', messageId: id, choices });
    },

    markAnswer(id, answerId, isEndorsed) {
      // Staff act as staff: the mark must not be sent together with messages of the anonymous persona.
      const endorsed = isEndorsed && ({ endorsed: true } as const);
      sendMark({ type: 'answer', messageId: id, answerId, ...endorsed }, getStaffId());
    },

    markDone(id, done) {
      sendMark({ type: 'done', messageId: id, done }, getStaffId());
    },

    async react(messageId, emoji) {
      const pendingReaction = reactions.add(messageId, emoji);
      refreshView();
      const icon = dependencies.findNewcomerIcon();
      const reaction = { type: 'react', classId, messageId, emoji } as const;
      const result = await requests.send({ ...reaction, ...(icon !== undefined && { icon }) });
      if (result.kind === 'done') pendingReaction.confirm(result.seq);
      else pendingReaction.revert();
      refreshView();
      requireDone(result);
    },
  };
}

type Content = Pick<OutboxEntry, 'text' | 'pictures' | 'replyTo' | 'question' | 'poll'>;

/** Shows the message immediately and sends it when a connection exists. */
function addMessage(classId: string, dependencies: Dependencies, content: Content): void {
  const { speaker, staff } = dependencies;
  const chosenSpeaker = speaker.getSnapshot();
  const author = chosenSpeaker === 'staff' ? staff()?.persona.memberId : undefined;
  // The composer waits for the choice: a message under the wrong name cannot be taken back.
  if (chosenSpeaker !== 'self' && !author) throw new Error('No speaker is chosen.');
  const icon = author ? undefined : dependencies.findNewcomerIcon();
  const topicId = attempt(() => dependencies.findTopic(content.replyTo), undefined);
  const entry = { ...content, id: createMessageId(), classId, staffId: author, icon, topicId };
  addEntry(dependencies, entry);
}

function addPrepared(
  classId: string,
  dependencies: Dependencies,
  { messageId: id, text, ...content }: PreparedPost,
): void {
  const author = dependencies.staff()?.persona.memberId;
  if (!author) throw new Error('Only staff open what they prepared.');
  // It may be on its way already.
  if (dependencies.outbox.find(id)) return;
  const topicId = attempt(() => dependencies.findTopic(null), undefined);
  const entry = { id, classId, staffId: author, pictures: [], text: text.trim(), replyTo: null };
  addEntry(dependencies, { ...content, ...entry, topicId });
}

function addEntry(
  { quotes, showNewest, outbox, sender }: Dependencies,
  entry: Parameters<Outbox['add']>[0],
): void {
  attempt(() => quotes.add(entry), undefined);
  attempt(() => showNewest(entry.topicId), undefined);
  outbox.add(entry);
  sender.send();
}
