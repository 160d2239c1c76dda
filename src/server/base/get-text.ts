// The texts of mails and notifications, in the language of the person who gets them.
import { type Message, type MessageStyle, toParts } from '#contract/message-format.ts';
import type { RichTextValues, TextKey, TextValues } from '#texts/text-values.ts';
import { createMessageStyle, listLanguages, loadCatalogue } from './catalogues.ts';

interface Language {
  texts: ReadonlyMap<string, Message>;
  style: MessageStyle;
}

const languages = new Map<string, Language>();

type Values<Key> = Key extends keyof TextValues ? [values: TextValues[Key]] : [];

/** Returns a text of the catalogue, or the English one if the language lacks it. */
export function getText<Key extends Exclude<TextKey, keyof RichTextValues<never>>>(
  language: string,
  key: Key,
  ...values: Values<Key>
): string;
export function getText(language: string, key: string, values?: Record<string, unknown>): string {
  const { texts, style } = getLanguage(language);
  const message = texts.get(key);
  if (message !== undefined) return toParts(message, values ?? {}, style).join('');
  const english = getLanguage('en');
  return toParts(english.texts.get(key) ?? key, values ?? {}, english.style).join('');
}

function getLanguage(language: string): Language {
  const loaded = languages.get(language);
  if (loaded) return loaded;
  // The operator may have removed the language that an account chose.
  const texts = listLanguages().includes(language) ? loadCatalogue(language).texts : new Map();
  const added = { texts, style: createMessageStyle(language) };
  languages.set(language, added);
  return added;
}
