import type { Config } from '#server/config/config-types.ts';

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
