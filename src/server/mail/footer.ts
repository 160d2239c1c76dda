import type { Config } from '../config.ts';
import type { Mail } from './mail.ts';

type Sender = Pick<Config, 'appName' | 'publicUrl' | 'organization' | 'supportContact'>;

/** Adds a footer with the operator's name and contact. */
export function withFooter(mail: Mail, sender: Sender): Mail {
  const { appName, publicUrl, organization, supportContact } = sender;
  const runBy = organization ? `, run by ${organization}` : '';
  const contact = supportContact
    ? `Questions, or did someone else use your address? Contact ${supportContact}\n`
    : '';
  return {
    ...mail,
    text: `${mail.text}\n-- \n${appName} at ${publicUrl.origin}${runBy}\n${contact}`,
  };
}
