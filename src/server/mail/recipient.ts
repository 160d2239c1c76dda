import { getText } from '#server/base/get-text.ts';
import type { Config } from '#server/config/config-types.ts';
import type { TextKey, TextValues } from '#texts/text-values.ts';
import type { Mail } from './mail-transport.ts';

/** Who gets a mail, and in which language. */
export interface Recipient {
  to: string;
  language: string;
}

type Account = { language: string | null } | null | undefined;

/** @param account null if there is none, or if nobody may know that there is one */
export function toRecipient(
  to: string,
  account: Account,
  config: Pick<Config, 'languages'>,
): Recipient {
  return { to, language: chooseLanguageFor(account, config) };
}

/** The language of the mails and notifications of an account. */
export function chooseLanguageFor(
  account: Account,
  { languages }: Pick<Config, 'languages'>,
): string {
  return account?.language ?? languages[0] ?? 'en';
}

type NameOfKey<Key> = Key extends `mail.${infer Name}.subject` ? Name : never;
type MailName = NameOfKey<TextKey>;

/** Creates a mail from its two texts in the catalogue. */
export function createMail<Name extends MailName>(
  { to, language }: Recipient,
  name: Name,
  values: TextValues[`mail.${Name}.subject`] & TextValues[`mail.${Name}.text`],
): Mail {
  const anyName: MailName = name;
  return {
    to,
    language,
    subject: getText(language, `mail.${anyName}.subject`, values as never),
    text: getText(language, `mail.${anyName}.text`, values as never),
  };
}
