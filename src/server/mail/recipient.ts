import type { Config } from '#server/config/config-types.ts';

/** Who gets a mail, and in which language. */
export interface Recipient {
  to: string;
  language: string;
}

/** @param account null if there is none, or if nobody may know that there is one */
export function toRecipient(
  to: string,
  account: { language: string | null } | null | undefined,
  { languages }: Pick<Config, 'languages'>,
): Recipient {
  return { to, language: account?.language ?? languages[0] ?? 'en' };
}
