import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { folderTransport, type FolderTransport } from './folder.ts';
import { withFooter } from './footer.ts';
import type { MailTransport } from './mail.ts';
import { smtpTransport } from './smtp.ts';

type Settings = Pick<Config, 'mail' | 'appName' | 'publicUrl' | 'organization' | 'supportContact'>;

/** Sends by SMTP or into a folder, as configured, and adds the footer to each mail. */
export function openTransport(
  config: Settings,
  log: Log,
): MailTransport & Partial<FolderTransport> {
  const { mail } = config;
  const transport =
    mail.kind === 'smtp'
      ? smtpTransport(mail.url, mail.from)
      : folderTransport(mail.dir, mail.from, log);
  return { ...transport, send: (message) => transport.send(withFooter(message, config)) };
}
