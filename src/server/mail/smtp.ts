import { createTransport } from 'nodemailer';
import type { MailTransport } from './mail.ts';

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** Prevents out-of-office replies to the sender (RFC 3834). */
export const automatic = { 'Auto-Submitted': 'auto-generated' };

export function smtpTransport(url: string, from: string): MailTransport {
  const transport = createTransport({ url, ...timeouts });
  return {
    async send(mail) {
      await transport.sendMail({ from, ...mail, headers: automatic });
    },
    async check() {
      await transport.verify();
    },
    stop() {},
  };
}
