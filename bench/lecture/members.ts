// The simulated members of a lecture: each has a socket, as a browser does, and all frames are counted.
import { randomUUID } from 'node:crypto';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { LogItem } from '#contract/socket.ts';
import { connectWebSocket, type WebSocketClient } from '../chat/websocket-client.ts';
import { Histogram } from '../percentiles.ts';
import type { ServerProcess } from '../server-process.ts';

/** A simulated member, or the name of a window. */
type Voter = number | string;

export interface AskedQuestion {
  id: string;
  text: string;
  /** Null: someone asked it in a window. */
  asker: number | null;
  voters: Set<Voter>;
}

/** A change of a vote that no published number has yet. */
interface OpenVote {
  messageId: string;
  /** What it adds to the number. */
  change: 1 | -1;
  startTime: number;
}

const eventsStart = '{"type":"events"';

export class Members {
  /** The frames from the server to all members. */
  frameCount = 0;
  /** The log entries that changed a number of votes. */
  publicationCount = 0;
  voteCount = 0;
  readonly questions = new Map<string, AskedQuestion>();
  /** The times from the frame of a post until each member has the message. */
  postTimes = new Histogram();
  ackTimes = new Histogram();
  /** The times from the acknowledgment of a vote until others have the new number. */
  publicationTimes = new Histogram();
  readonly failures: string[] = [];
  readonly classId: string;
  readonly #sockets: WebSocketClient[] = [];
  /** The last published number of each question. */
  readonly #numbers = new Map<string, number>();
  readonly #waiting = new Map<string, (reply: Reply) => void>();
  readonly #posts = new Map<string, number>();
  #openVotes: OpenVote[] = [];
  #rid = 0;

  constructor(classId: string) {
    this.classId = classId;
  }

  get count(): number {
    return this.#sockets.length;
  }

  /** Forgets all that was counted, and the questions. */
  reset(): void {
    this.frameCount = 0;
    this.publicationCount = 0;
    this.voteCount = 0;
    this.questions.clear();
    this.postTimes = new Histogram();
    this.ackTimes = new Histogram();
    this.publicationTimes = new Histogram();
  }

  async connect({ port, origin }: ServerProcess, cookies: readonly string[]): Promise<void> {
    for (const [member, cookie] of cookies.entries()) {
      const headers = { Origin: origin, Cookie: cookie, 'Sec-WebSocket-Protocol': subprotocol };
      const socket = await connectWebSocket(port, socketPath, headers, {
        frame: (bytes, start, end) => this.#receive(member, bytes.subarray(start, end)),
        closed: () => this.failures.push('closed'),
      });
      this.#sockets.push(socket);
      await this.request(member, { type: 'subscribe' });
    }
  }

  /** Sends a frame and waits for its reply. */
  async request(member: number, fields: object): Promise<Reply> {
    const rid = ++this.#rid;
    const reply = Promise.withResolvers<Reply>();
    this.#waiting.set(`${member} ${rid}`, reply.resolve);
    this.#sockets[member]!.send(JSON.stringify({ rid, classId: this.classId, ...fields }));
    const settledReply = await reply.promise;
    if (settledReply.type === 'nack') this.failures.push(String(settledReply.code));
    return settledReply;
  }

  /** @returns the id of the message */
  async post(member: number, text: string, fields: object = {}): Promise<string> {
    const id = randomUUID();
    this.#posts.set(id, performance.now());
    await this.request(member, { type: 'post', id, text, ...fields });
    return id;
  }

  async ask(asker: number, text: string): Promise<string> {
    const id = await this.post(asker, text, { question: true });
    this.#addQuestion(id, text, asker);
    return id;
  }

  /** Votes, or takes the vote back if the member has voted. */
  async vote(member: number, messageId: string): Promise<void> {
    const voted = this.toggleVote(member, messageId);
    const sentAt = performance.now();
    await this.request(member, { type: 'vote', messageId, voted });
    this.ackTimes.add(performance.now() - sentAt);
    this.#openVotes.push({ messageId, change: voted ? 1 : -1, startTime: performance.now() });
    const change = this.#openVotes
      .filter((openVote) => openVote.messageId === messageId)
      .reduce((sum, openVote) => sum + openVote.change, 0);
    // If the number stays as it is, nothing is published.
    if (change === 0) this.#closeVotes(messageId);
  }

  /** Counts a vote that is cast or taken back. @returns whether the voter has voted now */
  toggleVote(voter: Voter, messageId: string): boolean {
    const { voters } = this.questions.get(messageId)!;
    const hasVoted = !voters.delete(voter);
    if (hasVoted) voters.add(voter);
    this.voteCount += 1;
    return hasVoted;
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  #receive(member: number, bytes: Buffer): void {
    this.frameCount += 1;
    if (bytes.toString('latin1', 0, eventsStart.length) === eventsStart) {
      this.#receiveEvents(member, bytes);
      return;
    }
    const reply = JSON.parse(bytes.toString()) as Reply;
    const key = `${member} ${reply.rid}`;
    // A snapshot has the number of its request too, and comes before its end.
    if (reply.type === 'snapshot') return;
    this.#waiting.get(key)?.(reply);
    this.#waiting.delete(key);
  }

  #receiveEvents(member: number, bytes: Buffer): void {
    const now = performance.now();
    for (const [id, sentAt] of this.#posts) {
      if (now - sentAt > postWatchMs) this.#posts.delete(id);
      else if (bytes.includes(`"kind":"posted"`) && bytes.includes(`"id":"${id}"`)) {
        this.postTimes.add(now - sentAt);
      }
    }
    if (member !== 0) return;
    const { items } = JSON.parse(bytes.toString()) as { items: LogItem[] };
    for (const item of items) {
      if (item.kind === 'question') this.#receiveNumber(item);
      else if (item.kind === 'posted' && item.message.question) {
        this.#addQuestion(item.message.id, item.message.text, null);
      }
    }
  }

  #addQuestion(id: string, text: string, asker: number | null): void {
    const { voters } = this.questions.get(id) ?? { voters: new Set() };
    this.questions.set(id, {
      id,
      text,
      voters,
      asker: asker ?? this.questions.get(id)?.asker ?? null,
    });
  }

  #receiveNumber({ messageId, question }: LogItem & { kind: 'question' }): void {
    if (this.#numbers.get(messageId) === question.votes) return;
    this.#numbers.set(messageId, question.votes);
    this.publicationCount += 1;
    for (const openVote of this.#openVotes) {
      if (openVote.messageId === messageId) {
        this.publicationTimes.add(performance.now() - openVote.startTime);
      }
    }
    this.#closeVotes(messageId);
  }

  #closeVotes(messageId: string): void {
    this.#openVotes = this.#openVotes.filter((openVote) => openVote.messageId !== messageId);
  }
}

/** Messages that take longer are not expected any more. */
const postWatchMs = 5000;

interface Reply {
  type: string;
  rid?: number;
  [field: string]: unknown;
}
