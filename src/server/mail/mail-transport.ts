// Sends mails by SMTP, or writes them to a folder.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { getText } from '#server/base/get-text.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';

/** A mail. It has only plain text, so that it never loads remote content. */
export interface Mail {
  to: string;
  /** That of the footer. Mails that an earlier version queued have none. */
  language?: string;
  subject: string;
  text: string;
  /** Mail programs show a button for it (RFC 8058). Mails that the recipient requested one by one have none. */
  unsubscribeUrl?: string;
}

/** Resolves when the mail server has accepted the mail or the file is written. */
export type SendMail = (mail: Mail) => Promise<void>;

export interface MailTransport {
  send: SendMail;
  /** Connects and signs in to the mail server, but sends nothing. @throws the reason for a failure */
  check(): Promise<void>;
  /** Deletes the files of all mails to the address. */
  deleteMailsTo(address: string): void;
  /** Stops the cleanup. Sends in progress continue. */
  stop(): void;
}

type Settings = Pick<Config, 'mail' | 'appName' | 'publicUrl' | 'organization' | 'supportContact'>;

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };
/** Prevents out-of-office replies to the sender (RFC 3834). */
const automaticHeaders = { 'Auto-Submitted': 'auto-generated' };

function toHeaders({ unsubscribeUrl }: Mail): Record<string, string> {
  if (unsubscribeUrl === undefined) return automaticHeaders;
  return {
    ...automaticHeaders,
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** Returns an object, because nodemailer would parse a text, in which it may find several addresses. */
function toRecipient({ to }: Mail): { name: string; address: string } {
  return { name: '', address: to };
}

/** Files of mails are deleted after this time, because they contain addresses. No link is valid for longer. */
const retentionHours = 24; // MAIL-6
const cleanupIntervalMs = 60 * 60_000;

/** Sends by SMTP or into a folder, as configured, and adds the footer to each mail. */
export function openMailTransport(settings: Settings, log: Log): MailTransport {
  const { mail } = settings;
  const transport =
    mail.kind === 'smtp'
      ? createSmtpTransport(mail.url, mail.from)
      : createFolderTransport(mail.dir, mail.from, log);
  return { ...transport, send: (message) => transport.send(addFooter(message, settings)) };
}

/** Adds a footer with the operator's name and contact. */
function addFooter(mail: Mail, settings: Settings): Mail {
  const { appName, publicUrl, organization, supportContact } = settings;
  const { language = 'en', text } = mail;
  const url = publicUrl.origin;
  const site = organization
    ? getText(language, 'mail.footer.siteOf', { appName, url, organization })
    : getText(language, 'mail.footer.site', { appName, url });
  const contact = supportContact
    ? `${getText(language, 'mail.footer.contact', { contact: supportContact })}
`
    : '';
  return {
    ...mail,
    text: `${text}
-- 
${site}
${contact}`,
  };
}

function createSmtpTransport(url: string, from: string): MailTransport {
  const transport = createTransport({ url, ...timeouts });
  return {
    async send(mail) {
      const { subject, text } = mail;
      const to = toRecipient(mail);
      await transport.sendMail({ from, to, subject, text, headers: toHeaders(mail) });
    },
    async check() {
      await transport.verify();
    },
    deleteMailsTo() {},
    stop() {},
  };
}

/**
 * Writes each mail as an .eml file that only its owner can read. The log contains only the file name.
 */
function createFolderTransport(dir: string, from: string, log: Log): MailTransport {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const listMails = () => readdirSync(dir).filter((file) => file.endsWith('.eml'));

  function deleteOldMails(): void {
    const oldestMs = Date.now() - retentionHours * 60 * 60_000;
    try {
      for (const file of listMails()) {
        if (statSync(join(dir, file)).mtimeMs < oldestMs) rmSync(join(dir, file), { force: true });
      }
    } catch (error) {
      log.warn('mail.not-removed', { error });
    }
  }

  deleteOldMails();
  const timer = setInterval(deleteOldMails, cleanupIntervalMs);
  return {
    async send(mail) {
      const { subject, text } = mail;
      const { message } = await transport.sendMail({
        from,
        to: toRecipient(mail),
        subject,
        headers: toHeaders(mail),
        text: '-',
      });
      const [headers = ''] = String(message).split('\n\n');
      // The text is added here, because nodemailer would wrap a long link, which a reader of the file could not follow.
      const readableHeaders = headers.replace(/(Content-Transfer-Encoding: )7bit/, '$18bit');
      const timestamp = new Date().toISOString().replaceAll(':', '-').replace('.', '-');
      const file = `${timestamp}-${randomBytes(4).toString('hex')}.eml`;
      writeFileSync(join(dir, file), `${readableHeaders}\n\n${text}`, { mode: 0o600 });
      log.info('mail.written', { file, retentionHours });
    },
    async check() {},
    stop: () => clearInterval(timer),
    deleteMailsTo(address) {
      const header = `To: ${address}`.toLowerCase();
      for (const file of listMails()) {
        const path = join(dir, file);
        const [headers = ''] = readFileSync(path, 'utf8').split('\n\n');
        // A header with a long address is folded: its value is on the next line, after a space.
        const lines = headers
          .toLowerCase()
          .replace(/\n(?=\s)/g, '')
          .split('\n');
        if (lines.includes(header)) rmSync(path, { force: true });
      }
    },
  };
}
