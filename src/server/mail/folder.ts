import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Log } from '../log.ts';
import type { SendMail } from './mail.ts';

/** Writes each mail as an .eml file, readable by the owner alone; the log names the file only. */
export function folderMail(dir: string, from: string, log: Log): SendMail {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return async ({ text, ...mail }) => {
    const { message } = await transport.sendMail({ from, ...mail, text: '-' });
    const [headers = ''] = String(message).split('\n\n');
    // nodemailer would break a long link into lines, which whoever opens the file could not follow.
    const readable = headers.replace(/(Content-Transfer-Encoding: )7bit/, '$18bit');
    const stamp = new Date().toISOString().replaceAll(':', '-').replace('.', '-');
    const file = `${stamp}-${randomBytes(4).toString('hex')}.eml`;
    writeFileSync(join(dir, file), `${readable}\n\n${text}`, { mode: 0o600 });
    log.info('mail.written', { file });
  };
}
