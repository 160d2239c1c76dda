// The text of a digest: the label of each class and a rounded count, no texts and no names.
import { getText } from '#server/base/get-text.ts';
import type { MissedInClass } from '#server/features/notifications/missed.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { Recipient } from '#server/mail/recipient.ts';

interface Digest extends Recipient {
  appName: string;
  origin: string;
  unsubscribeUrl: string;
  missed: readonly MissedInClass[];
}

/** Limits the list, so that the whole mail fits into a row of the mail queue. */
const maxListBytes = 1200;

export function createDigestMail(digest: Digest): Mail {
  const { to, language, appName, origin, unsubscribeUrl, missed } = digest;
  return {
    to,
    language,
    subject: getText(language, 'mail.digest.subject', { appName }),
    text: getText(language, 'mail.digest.text', {
      classes: formatMissed(language, missed),
      url: `${origin}/home`,
      unsubscribeUrl,
    }),
    unsubscribeUrl,
  };
}

function formatMissed(language: string, missedClasses: readonly MissedInClass[]): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const missedClass of missedClasses) {
    const line = formatLine(language, missedClass);
    bytes += Buffer.byteLength(JSON.stringify(line));
    if (bytes > maxListBytes) break;
    lines.push(line);
  }
  const remainingCount = missedClasses.length - lines.length;
  if (remainingCount > 0) {
    lines.push(getText(language, 'mail.digest.more', { count: remainingCount }));
  }
  return lines.join('\n');
}

function formatLine(language: string, { label, atLeast }: MissedInClass): string {
  const count =
    atLeast === 1
      ? getText(language, 'mail.digest.few')
      : getText(language, 'mail.digest.atLeast', { count: atLeast });
  // Imported labels may hold line breaks, which would look like text of the mail.
  return `${label.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')}: ${count}`;
}
