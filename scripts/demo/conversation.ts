import { randomInt, randomUUID } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { toFailureReason } from '#server/base/startup-failure.ts';
import { upload } from '#tests/support/pictures.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import type { DemoMessage, DemoQuestion } from './classes.ts';
import { drawProblemSheet, takePicture } from './pictures.ts';

/** One student in one of the demo's classes. */
export interface Participant {
  student: TestClient;
  socket: TestSocket;
  classId: string;
  /** Null if the student has no name in this class. */
  memberId: string | null;
}

/** The emojis of reactions. An emoji that is listed several times is chosen more often. */
const emojis: readonly Emoji[] = ['👍', '👍', '👍', '❤️', '❤️', '💩'];

/** What the students of one class say to each other, turn by turn. It repeats after the last message. */
export class Conversation {
  readonly #participants: readonly Participant[];
  readonly #messages: readonly DemoMessage[];
  /** The author of each turn, in order. */
  readonly #authors: Participant[] = [];

  constructor(participants: readonly Participant[], messages: readonly DemoMessage[]) {
    this.#participants = participants;
    this.#messages = messages;
  }

  /** Takes the next turn. If the server rejects it, because its author is muted for example, no one says anything. */
  async tryToContinue(): Promise<void> {
    try {
      await this.continue();
    } catch (error) {
      console.error(`  A student could not take part: ${toFailureReason(error)}`);
    }
  }

  /** Takes the next turn: a member posts the message. One time in three, others react. */
  async continue(): Promise<void> {
    const message = this.#messages[this.#authors.length % this.#messages.length]!;
    const author = this.#chooseAuthor(message);
    this.#authors.push(author);
    const others = this.#participants.filter((participant) => participant !== author);
    await (isQuestion(message) ? ask(author, others, message) : post(author, others, message));
  }

  /** Nobody answers their own message, except where the text says who speaks again. */
  #chooseAuthor(message: DemoMessage): Participant {
    const turnsAgo = typeof message !== 'string' && 'turnsAgo' in message ? message.turnsAgo : 0;
    const lastAuthor = this.#authors.at(-1);
    const others = this.#participants.filter((participant) => participant !== lastAuthor);
    return this.#authors.at(-turnsAgo || Infinity) ?? others[randomInt(others.length)]!;
  }
}

async function post(
  author: Participant,
  others: readonly Participant[],
  message: Exclude<DemoMessage, DemoQuestion>,
): Promise<void> {
  const { socket, classId } = author;
  const messageId = randomUUID();
  const content = await createContent(author, message);
  const mentioned = others.find(({ memberId }) => memberId !== null)?.memberId;
  content.text = content.text.replaceAll('@@', mentioned ? toMentionToken(mentioned) : 'everyone:');
  await socket.request({ type: 'post', classId, id: messageId, ...content });
  if (randomInt(3) > 0) return;
  for (const other of others.slice(0, randomInt(1, 5))) {
    const emoji = emojis[randomInt(emojis.length)];
    await other.socket.request({ type: 'react', classId, messageId, emoji });
  }
}

const isQuestion = (message: DemoMessage): message is DemoQuestion =>
  typeof message !== 'string' && 'question' in message;

/** Asks the question. Some of the others have it too, and others reply. */
async function ask(
  asker: Participant,
  others: readonly Participant[],
  { question: text, replies, isAnswered }: DemoQuestion,
): Promise<void> {
  const { socket, classId } = asker;
  const messageId = randomUUID();
  await socket.request({ type: 'post', classId, id: messageId, text, question: true });
  for (const other of others.slice(0, randomInt(others.length + 1))) {
    await other.socket.request({ type: 'vote', classId, messageId, voted: true });
  }
  const replyIds = [];
  for (const reply of replies) {
    const other = others[randomInt(others.length)];
    const id = randomUUID();
    await other?.socket.request({ type: 'post', classId, id, text: reply, replyTo: messageId });
    replyIds.push(id);
  }
  const [answerId] = replyIds;
  if (isAnswered) await socket.request({ type: 'answer', classId, messageId, answerId });
}

async function createContent(
  { student, classId }: Participant,
  message: Exclude<DemoMessage, DemoQuestion>,
) {
  if (typeof message === 'string') return { text: message };
  if ('turnsAgo' in message) return { text: message.text };
  const images = [];
  for (const { file, alt } of message.files) {
    const bytes = file === 'sheet' ? drawProblemSheet() : await takePicture(file);
    const { imageId } = await upload(student, classId, bytes);
    images.push({ imageId, alt });
  }
  return { text: message.text, images };
}
