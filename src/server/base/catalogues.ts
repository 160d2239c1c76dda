// The texts of the app in each language: src/texts/<language>.json, compiled at the start of the server and by the build of the
// web app. The files are in the form of ARB: messages in ICU syntax, and entries about the file that begin with @@.
import { readdirSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import compile from 'icu-minify/compile';
import { fillLimits } from '#contract/fill-limits.ts';
import { type Message, nodeTypes, type MessageStyle } from '#contract/message-format.ts';

const textsDir = new URL('../../texts/', import.meta.url);

export interface Catalogue {
  language: string;
  texts: ReadonlyMap<string, Message>;
  /** Whether a native speaker has checked all texts. */
  isReviewed: boolean;
}

/** The keys and sentences of one language as they are in its file. */
export function loadTexts(language: string): { texts: Map<string, string>; reviewed: string[] } {
  const file = new URL(`${language}.json`, textsDir);
  const { '@@x-reviewed': reviewed = [], ...entries } = JSON.parse(readFileSync(file, 'utf8')) as {
    '@@x-reviewed'?: string[];
  } & Record<string, string>;
  const texts = Object.entries(entries).filter(([key]) => !key.startsWith('@@'));
  return { texts: new Map(texts), reviewed };
}

/** All languages that have a file, English first. */
export function listLanguages(): string[] {
  const names = readdirSync(textsDir).filter((name) => name.endsWith('.json'));
  const languages = names.map((name) => name.slice(0, -'.json'.length)).toSorted();
  return ['en', ...languages.filter((language) => language !== 'en')];
}

const minShare = 0.95;

/** Leaves out languages that lack many texts. Readers of the others get what is missing in English. */
export function selectCompleteLanguages(languages: readonly string[]): string[] {
  const minSize = minShare * loadTexts('en').texts.size;
  return languages.filter((language) => loadTexts(language).texts.size >= minSize);
}

/** Compiles the texts. A text that is missing, or that has to be reviewed first, is English for the reader. */
export function loadCatalogue(language: string): Catalogue {
  const { texts, reviewed } = loadTexts(language);
  const isReviewed = (key: string) => reviewed.some((pattern) => matchesGlob(key, pattern));
  const usable = [...texts].filter(([key]) => isUsable(key, language) || isReviewed(key));
  return {
    language,
    texts: new Map(usable.map(([key, text]) => [key, compileMessage(text, language)])),
    isReviewed: language === 'en' || [...texts.keys()].every(isReviewed),
  };
}

/** What people agree to, or decide by, counts only in a translation that somebody has signed. */
const isUsable = (key: string, language: string) => language === 'en' || !key.startsWith('legal.');

const limitPrefix = 'limits_';

/** Compiles a message. `{limits_mentions}` becomes the number of `limits.mentions`. */
export function compileMessage(text: string, language: string): Message {
  const { formatNumber } = createMessageStyle(language);
  const message = compile(fillLimits(text, formatNumber)) as Message;
  visitValues(message, (name, type) => {
    const isKnown =
      type === undefined || isTag(type) || Object.values<unknown>(nodeTypes).includes(type);
    if (!isKnown || name.startsWith(limitPrefix)) throw new Error(`Not supported: ${text}`);
  });
  return message;
}

/** Calls `visit` for each value that the message needs. */
export function visitValues(
  message: unknown,
  visit: (name: string, type: unknown, options: unknown) => void,
): void {
  if (!Array.isArray(message)) return;
  for (const node of message as unknown[]) {
    if (!Array.isArray(node)) continue;
    const [name, type, options] = node as [string, unknown, unknown];
    visit(name, type, options);
    if (isTag(type)) visitValues(node.slice(1), visit);
    else for (const branch of Object.values(options ?? {})) visitValues(branch, visit);
  }
}

export const isTag = (type: unknown): boolean =>
  type !== undefined && (typeof type !== 'number' || type === 0);

export function createMessageStyle(language: string): MessageStyle {
  const numbers = new Intl.NumberFormat(language);
  const rules = new Intl.PluralRules(language);
  return {
    formatNumber: (value) => numbers.format(value),
    toCategory: (value) => rules.select(value),
  };
}
