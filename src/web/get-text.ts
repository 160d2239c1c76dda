// The texts of the app in the language of the page. The build replaces each key by the English message, which so stays where
// it is used, and by its place in the catalogues (scripts/web-build/inline-texts.ts). The page of another language runs its catalogue
// before the app (decision 105).
import { type Message, type MessageStyle, toParts } from '#contract/message-format.ts';
import type { TextKey, TextValues, RichTextValues } from '#texts/text-values.ts';

declare global {
  var catalogue:
    | {
        texts: readonly (Message | undefined)[];
        errors: Readonly<Record<string, Message>>;
        /** The address of the names of emoji. */
        emoji?: string | null;
      }
    | undefined;
}

/** English in tests and in workers. */
export const language = globalThis.document?.documentElement.lang || 'en';

export const isRightToLeft = () => globalThis.document?.dir === 'rtl';

let rules: Intl.PluralRules | undefined;

const style: MessageStyle = {
  formatNumber,
  toCategory: (value) => (rules ??= new Intl.PluralRules(language)).select(value),
  // A name or class in Latin letters must not reorder the words around it: first strong isolate, pop directional isolate. A text of
  // isolates has no strong letter of its own, and is one of the reader's language: right-to-left isolate.
  isolate: (value) =>
    typeof value === 'string' && value && isRightToLeft()
      ? `${value.includes('\u2068') ? '\u2067' : '\u2068'}${value}\u2069`
      : value,
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
export function getText(place: unknown, english?: unknown, values?: unknown): string {
  if (typeof place === 'string') return place;
  return listParts(findTranslation(place), english as Message, values).join('');
}

type PlainKey = Exclude<TextKey, keyof TextValues | keyof RichTextValues<never>>;
type NameIn<Prefix extends string, Key> = Key extends `${Prefix}.${infer Name}`
  ? Name extends `${string}.${string}`
    ? never
    : Name
  : never;

/** Returns the texts whose keys begin with `prefix.`, by the rest of their keys. */
export function getTexts<Prefix extends string>(
  prefix: Prefix,
): Readonly<Record<NameIn<Prefix, PlainKey>, string>>;
export function getTexts(entries: unknown): Readonly<Record<string, string>> {
  const list = Object.entries(entries as Record<string, [place: number, english?: string]>);
  return Object.fromEntries(
    list.map(([name, [place, english]]) => [
      name,
      listParts(findTranslation(place), english ?? '', undefined).join(''),
    ]),
  );
}

export const findTranslation = (place: unknown) => globalThis.catalogue?.texts[place as number];

export function listParts(
  translation: Message | undefined,
  english: Message,
  values: unknown,
): unknown[] {
  const parts = toParts(translation ?? english, values as Record<string, unknown>, style);
  // An English sentence keeps its order on a page from right to left: left-to-right isolate, pop directional isolate.
  return translation === undefined && isRightToLeft() ? ['\u2066', ...parts, '\u2069'] : parts;
}

/** Words an error of the server, whose own sentence is English. */
export function wordError({ code, reason = code, message, values }: WordedError): string {
  return listParts(globalThis.catalogue?.errors[reason], message, values ?? {}).join('');
}

interface WordedError {
  code: string;
  reason?: string | undefined;
  message: string;
  values?: unknown;
}
