import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Log } from '../log.ts';
import type { MailTransport } from './mail.ts';
import { automatic } from './smtp.ts';

/** A mail contains an address and a link. No link is valid for longer. */
const keptHours = 24; // MAIL-6
const cleanEveryMs = 60 * 60_000;

export interface FolderTransport extends MailTransport {
  /** Deletes the files of all mails to the address. */
  removeMailsTo(address: string): void;
}

/**
 * Writes each mail as an .eml file that only its owner can read. The log contains only the file name.
 */
export function folderTransport(dir: string, from: string, log: Log): FolderTransport {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const mails = () => readdirSync(dir).filter((file) => file.endsWith('.eml'));

  function removeOld(): void {
    const before = Date.now() - keptHours * 60 * 60_000;
    try {
      for (const file of mails()) {
        if (statSync(join(dir, file)).mtimeMs < before) rmSync(join(dir, file), { force: true });
      }
    } catch (error) {
      log.warn('mail.not-removed', { error });
    }
  }

  removeOld();
  const timer = setInterval(removeOld, cleanEveryMs);
  return {
    async send({ text, ...mail }) {
      const { message } = await transport.sendMail({
        from,
        ...mail,
        headers: automatic,
        text: '-',
      });
      const [headers = ''] = String(message).split('\n\n');
      // nodemailer would wrap a long link, and the reader of the file could not follow it.
      const readable = headers.replace(/(Content-Transfer-Encoding: )7bit/, '$18bit');
      const stamp = new Date().toISOString().replaceAll(':', '-').replace('.', '-');
      const file = `${stamp}-${randomBytes(4).toString('hex')}.eml`;
      writeFileSync(join(dir, file), `${readable}\n\n${text}`, { mode: 0o600 });
      log.info('mail.written', { file, keptHours });
    },
    async check() {},
    stop: () => clearInterval(timer),
    removeMailsTo(address) {
      const header = `\nTo: ${address}\n`.toLowerCase();
      for (const file of mails()) {
        const path = join(dir, file);
        if (readFileSync(path, 'utf8').toLowerCase().includes(header))
          rmSync(path, { force: true });
      }
    },
  };
}
