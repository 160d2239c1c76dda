// The members of a lecture: each has a socket, as a browser does, and all frames are counted.
import { randomUUID } from 'node:crypto';
import type { LogItem } from '#contract/socket.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import { Histogram } from '../histogram.ts';

export interface AskedQuestion {
  id: string;
  asker: number;
  voters: Set<number>;
}

/** A change of a vote that no published number has yet. */
interface OpenVote {
  messageId: string;
  /** What it adds to the number. */
  change: 1 | -1;
  startedAt: number;
}

/** Posts that take longer are not expected any more. */
const postWatchMs = 5000;

export class LectureMembers {
  /** The frames from the server to all members. */
  frameCount = 0;
  voteCount = 0;
  rejectedCount = 0;
  readonly questions: AskedQuestion[] = [];
  /** The times from the frame of a post until each member has the message. */
  readonly postTimes = new Histogram();
  readonly ackTimes = new Histogram();
  /** The times from the acknowledgment of a vote until others have the new number. */
  readonly publicationTimes = new Histogram();
  readonly #classId: string;
  readonly #sockets: readonly TestSocket[];
  /** The last published number of each question. */
  readonly #numbers = new Map<string, number>();
  readonly #postedAt = new Map<string, number>();
  #openVotes: OpenVote[] = [];

  constructor(classId: string, sockets: readonly TestSocket[]) {
    this.#classId = classId;
    this.#sockets = sockets;
    for (const [member, { webSocket }] of sockets.entries()) {
      webSocket.on('message', (bytes: Buffer) => this.#receive(member, bytes));
    }
  }

  chooseMember(): number {
    return Math.floor(Math.random() * this.#sockets.length);
  }

  /** Sends a frame and waits for its reply. @returns whether the server has accepted it */
  async request(member: number, fields: object): Promise<boolean> {
    const { type } = await this.#sockets[member]!.request({ classId: this.#classId, ...fields });
    if (type === 'nack') this.rejectedCount += 1;
    return type === 'ack';
  }

  /** @returns the id of the message */
  async post(member: number, text: string, fields: object = {}): Promise<string> {
    const id = randomUUID();
    this.#postedAt.set(id, performance.now());
    await this.request(member, { type: 'post', id, text, ...fields });
    return id;
  }

  async ask(text: string): Promise<void> {
    const asker = this.chooseMember();
    const id = await this.post(asker, text, { question: true });
    this.questions.push({ id, asker, voters: new Set() });
  }

  /** Votes, or takes the vote back if the member has voted. */
  async vote(member: number, { id: messageId, voters }: AskedQuestion): Promise<void> {
    const voted = !voters.delete(member);
    if (voted) voters.add(member);
    this.voteCount += 1;
    const sentAt = performance.now();
    await this.request(member, { type: 'vote', messageId, voted });
    this.ackTimes.add(performance.now() - sentAt);
    this.#openVotes.push({ messageId, change: voted ? 1 : -1, startedAt: performance.now() });
    const change = this.#openVotes
      .filter((openVote) => openVote.messageId === messageId)
      .reduce((sum, openVote) => sum + openVote.change, 0);
    // If the number stays as it is, nothing is published.
    if (change === 0) this.#closeVotes(messageId);
  }

  /** Whether the published number of each question is that of its votes. */
  get hasAllNumbers(): boolean {
    return this.questions.every(({ id, voters }) => (this.#numbers.get(id) ?? 0) === voters.size);
  }

  #receive(member: number, bytes: Buffer): void {
    this.frameCount += 1;
    if (!bytes.includes('{"type":"events"')) return;
    const now = performance.now();
    for (const [id, postedAt] of this.#postedAt) {
      if (now - postedAt > postWatchMs) this.#postedAt.delete(id);
      else if (bytes.includes('"kind":"posted"') && bytes.includes(`"id":"${id}"`)) {
        this.postTimes.add(now - postedAt);
      }
    }
    if (member > 0) return;
    const { items } = JSON.parse(String(bytes)) as { items: LogItem[] };
    for (const item of items) {
      if (item.kind === 'question') this.#receiveNumber(item.messageId, item.question.votes, now);
    }
  }

  #receiveNumber(messageId: string, votes: number, now: number): void {
    if (this.#numbers.get(messageId) === votes) return;
    this.#numbers.set(messageId, votes);
    for (const openVote of this.#openVotes) {
      if (openVote.messageId === messageId) this.publicationTimes.add(now - openVote.startedAt);
    }
    this.#closeVotes(messageId);
  }

  #closeVotes(messageId: string): void {
    this.#openVotes = this.#openVotes.filter((openVote) => openVote.messageId !== messageId);
  }
}
