// Reports in a class of the demo, and an account that moderates it.
import { randomUUID } from 'node:crypto';
import type { ReportReason } from '#contract/report-reasons.ts';
import { grantRoleByCommand } from '#tests/support/roles.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { Participant } from './conversation.ts';

interface ReportedMessage {
  text: string;
  /** The reports of different members, fewer than hide the message. */
  reports: readonly { reason: ReportReason; text: string }[];
}

const reportedMessages: readonly ReportedMessage[] = [
  {
    text: 'Midterm questions for sale, write to **Top Marks** on the usual site',
    reports: [
      { reason: 'cheating', text: 'Third time this week' },
      { reason: 'spam', text: '' },
    ],
  },
  {
    text: 'whoever asks about the AVL test again should just drop the class, nobody wants you here',
    reports: [{ reason: 'harassment', text: 'Please stop this, it is my question that is meant' }],
  },
];

/** Lets members of the class write messages that others report, and makes the account a moderator of the class. */
export async function addReports(
  settings: Readonly<Record<string, string>>,
  participants: readonly Participant[],
  moderator: TestClient,
): Promise<void> {
  for (const [index, { text, reports }] of reportedMessages.entries()) {
    const author = participants[index * 2];
    if (!author) return;
    const { socket, classId } = author;
    const messageId = randomUUID();
    await socket.request({ type: 'post', classId, id: messageId, text });
    const reporters = participants.filter((participant) => participant !== author);
    for (const [place, report] of reports.entries()) {
      const body = { messageId, ...report };
      await reporters[place]?.student.call('reportMember', { params: { classId }, body });
    }
  }
  const [{ classId } = { classId: '' }] = participants;
  await grantRoleByCommand(settings, { email: moderator.email, classId }, 'Kim');
}
