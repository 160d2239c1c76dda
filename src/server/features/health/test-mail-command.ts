// `npm run admin -- test-mail ADDRESS` sends one mail immediately and reports the result.
import { isMailable } from '#contract/email-address.ts';
import { createLog } from '#server/base/log.ts';
import { describeMailProblem } from '#server/mail/mail-problem.ts';
import { openMailTransport } from '#server/mail/mail-transport.ts';
import {
  createRequiredArgument,
  type AdminCommand,
  type CommandContext,
  type CommandReport,
} from '#server/commands/admin-command.ts';

export const testMailCommand: AdminCommand = {
  name: 'test-mail',
  description: 'sends a mail to the address and says what the mail server answered',
  takes: [createRequiredArgument('ADDRESS', 'where to send it')],
  run: sendTestMail,
};

/** @returns which mail server took the mail. @throws {Error} with the reason if sending failed */
async function sendTestMail({ config }: CommandContext, address: string): Promise<CommandReport> {
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
}
