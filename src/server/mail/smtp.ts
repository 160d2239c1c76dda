import { createTransport } from 'nodemailer';
import type { SendMail } from './mail.ts';

export function smtpMail(url: string, from: string): SendMail {
  const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
  const transport = createTransport({ url, ...patience });
  return async (mail) => {
    await transport.sendMail({ from, ...mail });
  };
}
