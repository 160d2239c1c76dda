import { randomInt, randomUUID } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import { toMentionToken } from '#contract/mentions.ts';
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

let authorIndex = 0;

/** Posts the message as a random member, one time in four as the previous author. One time in three, other members react. */
export async function say(
  participants: readonly Participant[],
  message: DemoMessage,
): Promise<void> {
  if (randomInt(4) > 0) authorIndex = randomInt(participants.length);
  const author = participants[authorIndex % participants.length];
  if (!author) return;
  if (isQuestion(message)) return ask(author, participants, message);
  const { socket, classId } = author;
  const messageId = randomUUID();
  const content = await createContent(author, message);
  const otherParticipants = participants.filter((participant) => participant !== author);
  const mentioned = otherParticipants.find(({ memberId }) => memberId !== null)?.memberId;
  content.text = content.text.replaceAll('@@', mentioned ? toMentionToken(mentioned) : 'everyone:');
  await socket.request({ type: 'post', classId, id: messageId, ...content });
  if (randomInt(3) > 0) return;
  for (const other of otherParticipants.slice(0, randomInt(1, 5))) {
    const emoji = emojis[randomInt(emojis.length)];
    await other.socket.request({ type: 'react', classId, messageId, emoji });
  }
}

const isQuestion = (message: DemoMessage): message is DemoQuestion =>
  typeof message !== 'string' && 'question' in message;

/** Asks the question. Some of the others have it too, and others reply. */
async function ask(
  asker: Participant,
  participants: readonly Participant[],
  { question: text, replies, isAnswered }: DemoQuestion,
): Promise<void> {
  const { socket, classId } = asker;
  const messageId = randomUUID();
  await socket.request({ type: 'post', classId, id: messageId, text, question: true });
  const otherParticipants = participants.filter((participant) => participant !== asker);
  for (const other of otherParticipants.slice(0, randomInt(otherParticipants.length + 1))) {
    await other.socket.request({ type: 'vote', classId, messageId, voted: true });
  }
  const replyIds = [];
  for (const reply of replies) {
    const other = otherParticipants[randomInt(otherParticipants.length)];
    const id = randomUUID();
    const post = { type: 'post', classId, id, text: reply, replyTo: messageId };
    await other?.socket.request(post);
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
  const images = [];
  for (const { file, alt } of message.files) {
    const bytes = file === 'sheet' ? drawProblemSheet() : await takePicture(file);
    const { imageId } = await upload(student, classId, bytes);
    images.push({ imageId, alt });
  }
  return { text: message.text, images };
}
