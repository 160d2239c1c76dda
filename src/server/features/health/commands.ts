// The commands of `npm run admin` about the server: what the database and the disk tell, its settings, and its mail server.
import { z } from 'zod';
import { isMailable } from '#contract/email-address.ts';
import { createLog } from '#server/base/log.ts';
import { version } from '#server/base/version.ts';
import { defineCommand, defineDatabaseCommand, someText } from '#server/commands/admin-command.ts';
import { describeMailProblem } from '#server/mail/mail-problem.ts';
import { openMailTransport } from '#server/mail/mail-transport.ts';
import { listWaitingMails, makeMailsDue, type WaitingMail } from '#server/mail/waiting-mails.ts';
import { createDailyCounts } from './daily-counts.ts';
import { listSettingsInForce } from './settings-in-force.ts';
import { getSizes } from './sizes.ts';

const mebibyte = 1024 ** 2;
const formatMebibytes = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

export const healthCommands = [
  defineDatabaseCommand({
    name: 'overview',
    description:
      'says the version, sizes, and how many messages and sign-ups the last days had, in coarse numbers',
    async run({ config, db, loadKeys }) {
      const { accountRecords, server: keys } = await loadKeys();
      const daily = await createDailyCounts(db, accountRecords, keys.dailyCounts).read();
      const sizes = await getSizes(db, config);
      const lines = [
        `Version ${version}, ${config.database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
        `Database ${formatMebibytes(sizes.database)}, pictures ${formatMebibytes(sizes.pictures)}, free ${formatMebibytes(sizes.free)}`,
        '',
        'Day (UTC)     Messages  Sign-ups   in steps of 100 and 10',
        ...daily.map(
          ({ day, messageTotal, signUpTotal }) =>
            `${day}  ${String(messageTotal).padStart(10)}${String(signUpTotal).padStart(10)}`,
        ),
      ];
      return { message: lines.join('\n'), version, sizes, daily };
    },
  }),
  defineCommand({
    name: 'settings',
    description:
      'says each setting that a server would start with, and where it comes from; secrets are left out',
    async run({ config }) {
      const inForce = listSettingsInForce(config);
      const width = Math.max(...inForce.map(({ setting }) => setting.length));
      const lines = inForce.map(
        ({ setting, settingValue, source }) =>
          `${setting.padEnd(width)}  ${source.padEnd(11)}  ${settingValue}`,
      );
      return { message: lines.join('\n'), inForce };
    },
  }),
  defineCommand({
    name: 'test-mail',
    description: 'sends a mail to the address and says what the mail server answered',
    takes: { address: someText.describe('where to send it') },
    async run({ config }, { address }) {
      if (!isMailable(address)) {
        throw new Error(`${address} is no address: use one such as you@university.edu.`);
      }
      const transport = openMailTransport(config, createLog({ write: () => {} }));
      try {
        await transport.send({
          to: address,
          subject: `A test of ${config.appName}`,
          text: `If you can read this, ${config.appName} can send mail.\n`,
        });
      } catch (error) {
        throw new Error(describeMailProblem(error), { cause: error });
      } finally {
        transport.stop();
      }
      const message =
        config.mail.kind === 'smtp'
          ? `The mail server took the mail to ${address}. If it does not arrive, look in the spam folder and at the SPF and DKIM records of the sender's domain.`
          : `SMTP_URL is not set, so the mail is a file in ${config.mail.dir}.`;
      return { message, transport: config.mail.kind };
    },
  }),
  defineDatabaseCommand({
    name: 'mails',
    description: 'says how many mails wait, and when the server tries again; no addresses',
    options: {
      sendNow: z
        .boolean()
        .default(false)
        .describe('makes the running server try all of them now, urgent ones first'),
    },
    async run({ db, loadKeys, write }, { sendNow }) {
      const { mailKey } = await loadKeys();
      const mails = await listWaitingMails(db, mailKey);
      if (sendNow) await write((unitOfWork) => makeMailsDue(unitOfWork.db, mails));
      const groups = groupMails(mails);
      const lines = groups.map(
        ({ total, attempts, nextAttempt, isUrgent }) =>
          `${String(total).padStart(5)}  ${String(attempts).padStart(8)}  ${nextAttempt.padEnd(16)}  ${isUrgent ? 'urgent' : ''}`,
      );
      const message =
        mails.length === 0
          ? 'No mail waits.'
          : [
              'Mails  Attempts  Next (UTC)',
              ...lines.map((line) => line.trimEnd()),
              sendNow
                ? 'The running server tries all of them within seconds. What it says of each failure is mail.failed in its log.'
                : 'To try all of them now: --send-now.',
            ].join('\n');
      return { message, waiting: mails.length, groups };
    },
  }),
];

/** Counts equal mails, in the order in which they leave. */
function groupMails(mails: readonly WaitingMail[]) {
  const toGroup = ({ attempts, nextAttemptAt, isUrgent }: WaitingMail) => ({
    attempts,
    nextAttempt:
      nextAttemptAt === null
        ? 'now'
        : new Date(nextAttemptAt).toISOString().slice(0, 16).replace('T', ' '),
    isUrgent,
  });
  return [...Map.groupBy(mails, (mail) => JSON.stringify(toGroup(mail))).values()]
    .flatMap((group) => {
      const [firstMail] = group;
      return firstMail ? [{ total: group.length, firstMail }] : [];
    })
    .toSorted((a, b) => (a.firstMail.nextAttemptAt ?? 0) - (b.firstMail.nextAttemptAt ?? 0))
    .map(({ total, firstMail }) => ({ total, ...toGroup(firstMail) }));
}
