import { createTransport } from 'nodemailer';
import type { SendMail } from './mail.ts';

export function smtpMail(url: string, from: string): SendMail {
  const transport = createTransport(url);
  return async (mail) => {
    await transport.sendMail({ from, ...mail });
  };
}
