// One topic of a class, while the member reads only that. It has a replica of its own, so that pages, jumps and changes work as in
// the whole log: it starts with what that holds, and only the pages that it reads leave out other messages. Also what is unread in
// each topic.
import type { Message } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import {
  applyEvents,
  type EventsFrame,
  type HistoryPage,
  type HistoryQuery,
  type LogReplica,
  showNewest,
} from '#web/sync/engine/log-replica.ts';
import { RoomPages } from './room-pages.ts';
import type { ShownTopic } from './room.ts';
import { findStartSeq, type TopicChoice } from './topic-choice.ts';

/** The list shows so many messages before it has to read older ones. */
const firstPage = 30;

interface Content {
  replica: LogReplica | null;
  topicChoice: Pick<TopicChoice, 'getPlace' | 'visit'>;
}

type ReadContent = Pick<Content, 'topicChoice'> & { replica: LogReplica };

export class TopicLog {
  readonly topicId: string;
  readonly pages: RoomPages;
  #replica: LogReplica;

  constructor(
    topicId: string,
    log: LogReplica,
    readHistory: (query: HistoryQuery) => Promise<HistoryPage>,
    onChange: (replica: LogReplica) => void,
  ) {
    this.topicId = topicId;
    this.#replica = toStart(log);
    this.pages = new RoomPages(
      (query) => readHistory({ ...query, topicId }),
      () => this.#replica,
      (next) => {
        this.#replica = next;
        onChange(next);
      },
      () => onChange(this.#replica),
    );
  }

  /** The replica can hold messages that have another topic. */
  replica(): LogReplica {
    return this.#replica;
  }

  toShown({ replica, topicChoice }: ReadContent): ShownTopic {
    const startSeq = findStartSeq(replica, topicChoice.visit());
    const place = topicChoice.getPlace(this.topicId, replica.epoch);
    return { topicId: this.topicId, readSeq: Math.max(startSeq, place) };
  }

  holds(messageId: string): boolean {
    const { messages, window } = this.#replica;
    return [...messages, ...(window?.messages ?? [])].some(
      ({ id, topicId }) => id === messageId && topicId === this.topicId,
    );
  }

  /** Reads older messages if the log holds few of the topic. */
  fill(): void {
    const held = this.#replica.messages.filter(({ topicId }) => topicId === this.topicId);
    if (held.length < firstPage) void this.pages.loadOlder();
  }

  /** Follows the whole log, which applied the same frame. */
  apply(frame: EventsFrame): void {
    const next = applyEvents(this.#replica, frame);
    if (next !== 'gap') this.#replica = next;
  }

  /** Starts again with the log after a snapshot, because the missed changes are unknown. */
  restart(log: LogReplica): void {
    this.pages.cancel();
    this.#replica = toStart(log);
  }
}

/**
 * A message that was not read stays unread in the topic to which it is moved, and so does what came after it there.
 *
 * @param replica what the browser held before
 * @returns whether there was such a message
 */
export function keepUnread(
  items: readonly LogItem[],
  replica: LogReplica,
  topicChoice: TopicChoice,
): boolean {
  let hasKept = false;
  const getPlace = (topicId: string | null | undefined) =>
    topicChoice.getPlace(topicId ?? '', replica.epoch);
  for (const item of items) {
    if (item.kind !== 'moved' || !item.topicId) continue;
    const message = replica.messages.find(({ id }) => id === item.movedId);
    const startSeq = Math.max(
      findStartSeq(replica, topicChoice.visit()),
      getPlace(message?.topicId),
    );
    if (message && message.seq > startSeq && message.seq <= getPlace(item.topicId)) {
      topicChoice.setPlace(item.topicId, message.seq - 1, replica);
      hasKept = true;
    }
  }
  return hasKept;
}

const toStart = (log: LogReplica): LogReplica => ({ ...showNewest(log), request: null });

/** Counts what is unread or was when the room opened, as far as the replica holds it. Muted topics count only mentions. */
export function countTopicUnread(
  { replica, topicChoice }: Content,
  isUnread: (message: Message) => boolean,
  previousCounts: ReadonlyMap<string, number> | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!replica?.settings.topics) return counts;
  const { messages, readSeq, epoch } = replica;
  const visit = topicChoice.visit();
  const startSeq = findStartSeq(replica, visit);
  const firstNew = messages.findLastIndex(({ seq }) => seq <= startSeq) + 1;
  for (const message of messages.slice(firstNew)) {
    const { seq, topicId } = message;
    if (seq <= readSeq && seq > (visit?.toSeq ?? 0)) continue;
    if (topicId === undefined || seq <= topicChoice.getPlace(topicId, epoch)) continue;
    if (!isUnread(message)) continue;
    counts.set(topicId, (counts.get(topicId) ?? 0) + 1);
  }
  const isSame =
    previousCounts?.size === counts.size &&
    [...counts].every(([key, n]) => previousCounts.get(key) === n);
  return isSame ? previousCounts : counts;
}
