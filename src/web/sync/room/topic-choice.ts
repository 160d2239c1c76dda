// What this browser remembers of the topics of a class: which one the member chose last for a message, until the tab closes, how
// far they have read in each topic on its own, ahead of the whole log, and what was unread when the room opened. No one else
// learns of it, not even the server.
import type { LogReplica } from '#web/sync/engine/log-replica.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';

interface Places {
  epoch: string;
  /** Topic id → the seq up to which the member has read the topic. */
  seqs: Record<string, number>;
}

/** What was unread when the room opened: the messages with `afterSeq < seq <= toSeq`. */
export interface Visit {
  epoch: string;
  afterSeq: number;
  toSeq: number;
}

/** The member has read the whole log up to here, or had when the room opened. */
export function findStartSeq(
  { readSeq }: Pick<LogReplica, 'readSeq'>,
  visit: Visit | null,
): number {
  return Math.min(readSeq, visit?.afterSeq ?? readSeq);
}

/** The topic on screen, or the one that the member chose last, if it still can be chosen. */
export function findNextTopic(
  { settings }: Pick<LogReplica, 'settings'>,
  topic: { topicId: string } | null,
  topicChoice: Pick<TopicChoice, 'chosenId'>,
): string | null {
  const ids = [topic?.topicId, topicChoice.chosenId()];
  const isOpen = (id: string | null | undefined) =>
    settings.topics?.some(({ topicId, archived }) => topicId === id && !archived);
  return ids.find(isOpen) ?? null;
}

export class TopicChoice {
  readonly #tabStorage: TabStorage;
  readonly #sharedStorage: TabStorage;
  readonly #classId: string;
  #chosenId: string | null;
  #places: Places = { epoch: '', seqs: {} };
  #placesText: string | null = null;
  #visit: Visit | null = null;

  /** @param sharedStorage the one that sign-out empties of drafts */
  constructor(classId: string, tabStorage: TabStorage, sharedStorage: TabStorage) {
    this.#tabStorage = tabStorage;
    this.#sharedStorage = sharedStorage;
    this.#classId = classId;
    this.#chosenId = tabStorage.read(`topic:${classId}`);
    this.refresh();
  }

  chosenId(): string | null {
    return this.#chosenId;
  }

  choose(topicId: string | null): void {
    this.#chosenId = topicId;
    this.#tabStorage.write(`topic:${this.#classId}`, topicId);
  }

  visit(): Visit | null {
    return this.#visit;
  }

  /** Call before the room is marked as read. If this tab has only been reloaded, the visit goes on. */
  startVisit({ epoch, readSeq, messages }: LogReplica): void {
    if (this.#visit) return;
    const toSeq = messages.at(-1)?.seq ?? readSeq;
    const text = toSeq > readSeq ? null : this.#tabStorage.read(`visit:${this.#classId}`);
    const keptVisit = text === null ? null : (JSON.parse(text) as Visit);
    this.setVisit(keptVisit?.epoch === epoch ? keptVisit : { epoch, afterSeq: readSeq, toSeq });
  }

  setVisit(visit: Visit | null): void {
    this.#visit = visit;
    this.#tabStorage.write(`visit:${this.#classId}`, visit && JSON.stringify(visit));
  }

  /** @returns 0 if the member has not read the topic on its own in this history */
  getPlace(topicId: string, epoch: string): number {
    return this.#places.epoch === epoch ? (this.#places.seqs[topicId] ?? 0) : 0;
  }

  /** Forgets places in what the member has read of the whole log. */
  setPlace(topicId: string, seq: number, replica: LogReplica): void {
    const { epoch } = replica;
    this.refresh();
    const startSeq = findStartSeq(replica, this.#visit);
    const seqs = this.#places.epoch === epoch ? this.#places.seqs : {};
    const places = Object.entries({ ...seqs, [topicId]: seq }).filter(([, n]) => n > startSeq);
    this.#places = { epoch, seqs: Object.fromEntries(places) };
    this.#placesText = places.length > 0 ? JSON.stringify(this.#places) : null;
    this.#sharedStorage.write(`draft-topics:${this.#classId}`, this.#placesText);
  }

  /** Takes over what other tabs have read. @returns whether it is news */
  refresh(): boolean {
    const text = this.#sharedStorage.read(`draft-topics:${this.#classId}`);
    if (text === this.#placesText) return false;
    this.#placesText = text;
    this.#places = text === null ? { epoch: '', seqs: {} } : (JSON.parse(text) as Places);
    return true;
  }

  /** The member has left the class. */
  forget(): void {
    this.choose(null);
    this.setVisit(null);
    this.#sharedStorage.write(`draft-topics:${this.#classId}`, null);
    this.refresh();
  }
}
