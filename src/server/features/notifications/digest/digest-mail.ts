// The text of a digest: the label of each class and a rounded count, no texts and no names.
import type { MissedInClass } from '#server/features/notifications/missed.ts';
import type { Mail } from '#server/mail/mail-transport.ts';

interface Digest {
  to: string;
  appName: string;
  origin: string;
  unsubscribeUrl: string;
  missed: readonly MissedInClass[];
}

/** Limits the list, so that the whole mail fits into a row of the mail queue. */
const maxListBytes = 1200;

export function createDigestMail({ to, appName, origin, unsubscribeUrl, missed }: Digest): Mail {
  return {
    to,
    subject: `What you missed on ${appName}`,
    text: `There are messages that you have not read yet:

${formatMissed(missed)}

Read them here:
${origin}/home

You get this mail at most once a day, because you turned on the daily email. Turn it off here, without signing in:
${unsubscribeUrl}
`,
    unsubscribeUrl,
  };
}

function formatMissed(missedClasses: readonly MissedInClass[]): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const missedClass of missedClasses) {
    const line = formatLine(missedClass);
    bytes += Buffer.byteLength(JSON.stringify(line));
    if (bytes > maxListBytes) break;
    lines.push(line);
  }
  const remainingCount = missedClasses.length - lines.length;
  if (remainingCount > 0) {
    lines.push(remainingCount === 1 ? 'and 1 more class' : `and ${remainingCount} more classes`);
  }
  return lines.join('\n');
}

function formatLine({ label, atLeast }: MissedInClass): string {
  const count = atLeast === 1 ? 'fewer than 10 new messages' : `${atLeast} or more new messages`;
  // Imported labels may hold line breaks, which would look like text of the mail.
  return `${label.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')}: ${count}`;
}
