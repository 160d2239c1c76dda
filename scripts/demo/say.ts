import { randomInt, randomUUID } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { upload } from '#tests/support/pictures.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { TestSocket } from '#tests/support/test-socket.ts';
import type { DemoMessage } from './classes.ts';
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

async function createContent({ student, classId }: Participant, message: DemoMessage) {
  if (typeof message === 'string') return { text: message };
  const images = [];
  for (const { file, alt } of message.files) {
    const bytes = file === 'sheet' ? drawProblemSheet() : await takePicture(file);
    const { imageId } = await upload(student, classId, bytes);
    images.push({ imageId, alt });
  }
  return { text: message.text, images };
}
