// The texts of the app in the language of the page. The build replaces each key by the English message, which so stays where
// it is used, and by its place in the catalogues (scripts/web-build/inline-texts.ts). The page of another language runs its catalogue
// before the app (decision 105).
import { type Message, type MessageStyle, toParts } from '#contract/message-format.ts';
import type { TextKey, TextValues, RichTextValues } from '#texts/text-values.ts';

declare global {
  var catalogue:
    | { texts: readonly (Message | undefined)[]; errors: Readonly<Record<string, Message>> }
    | undefined;
}

/** English in tests and in workers. */
export const language = globalThis.document?.documentElement.lang || 'en';

export const isRightToLeft = () => globalThis.document?.dir === 'rtl';

let rules: Intl.PluralRules | undefined;

const style: MessageStyle = {
  formatNumber,
  toCategory: (value) => (rules ??= new Intl.PluralRules(language)).select(value),
  // A name or class in Latin letters must not reorder the words around it: first strong isolate, pop directional isolate.
  isolate: (value) =>
    typeof value === 'string' && value && isRightToLeft() ? `\u2068${value}\u2069` : value,
};

export function formatNumber(value: number): string {
  return value < 1000 && language === 'en' ? String(value) : value.toLocaleString(language);
}

type Values<Key> = Key extends keyof TextValues ? [values: TextValues[Key]] : [];

/** Returns a text of the catalogue. Where no build has replaced the key, as in the fuzzer, the key stands for the text. */
export function getText<Key extends Exclude<TextKey, keyof RichTextValues<never>>>(
  key: Key,
  ...values: Values<Key>
): string;
export function getText(place: unknown, english = place, values?: unknown): string {
  return formatMessage(findMessage(place as number, english as Message), values);
}

export function findMessage(place: number, english: Message): Message {
  return globalThis.catalogue?.texts[place] ?? english;
}

function formatMessage(message: Message, values: unknown): string {
  return listParts(message, values).join('');
}

export function listParts(message: Message, values: unknown): unknown[] {
  return toParts(message, values as Record<string, unknown>, style);
}

/** Words an error of the server, whose own sentence is English. */
export function wordError({ code, reason = code, message, values }: WordedError): string {
  return formatMessage(globalThis.catalogue?.errors[reason] ?? message, values ?? {});
}

interface WordedError {
  code: string;
  reason?: string | undefined;
  message: string;
  values?: unknown;
}
