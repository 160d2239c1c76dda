// Puts the English texts where the web app uses them, and builds a script with all texts for each other language.
import type { Plugin } from 'vite';
import type { Message } from '../../src/contract/message-format.ts';
import { listLanguages, loadCatalogue, type Catalogue } from '../../src/server/base/catalogues.ts';
import {
  compressToOneSize,
  languagesFileName,
  type TranslatedScript,
} from '../../src/server/features/web-app/translated-pages.ts';
import { toEmojiScript } from './emoji-names.ts';

// `...getText()` is a call, and `x.getText()` is none.
const call = /(?<!\w|\$|[^.]\.)(getText|getRichText)\(\s*(?:(["'`])([\w.-]+)\2)?/g;
const groupCall = /(?<!\w|\$|[^.]\.)getTexts\(\s*(?:(["'`])([\w.]+)\1\s*\))?/g;
const errorPrefix = 'error.';

export function inlineTexts(): Plugin {
  const english = loadCatalogue('en');
  const places = new Map([...english.texts.keys()].toSorted().map((key, place) => [key, place]));
  const usedKeys = new Set<string>();
  return {
    name: 'inline-texts',
    transform: {
      filter: { id: /\/src\/web\/.*\.tsx?$/, code: /\/get-(rich-)?text/ },
      handler: (code, id) =>
        /get-(rich-)?text\.ts$/.test(id)
          ? undefined
          : inlineKeys(code, id, { english, places, usedKeys }),
    },
    generateBundle(): void {
      if (this.environment.config.command !== 'build') return;
      // The names and sizes of the files do not tell the language.
      const emit = (source: string): string =>
        this.getFileName(this.emitFile({ type: 'asset', name: 'texts.js', source }));
      const emitCompressed = (files: { name: string; source: string }[]): void => {
        const contents = new Map(
          files.map(({ name, source }) => [`${name}.br`, Buffer.from(source)]),
        );
        for (const [fileName, source] of compressToOneSize(contents)) {
          this.emitFile({ type: 'asset', fileName, source });
        }
      };
      const emojiFiles = new Map<string, string>();
      const translations = listTranslations().map((catalogue) => {
        const { language, isReviewed } = catalogue;
        const emojiSource = toEmojiScript(language);
        const emoji = emojiSource === null ? null : emit(emojiSource);
        if (emoji !== null && emojiSource !== null) emojiFiles.set(emoji, emojiSource);
        const emojiPath = emoji === null ? null : `/${emoji}`;
        const source = toScript(catalogue, [...places.keys()], usedKeys, emojiPath);
        const name = emit(source);
        const translation: TranslatedScript = { script: `/${name}`, isReviewed };
        return { name, source, entry: [language, translation] };
      });
      emitCompressed(translations);
      emitCompressed([...emojiFiles].map(([name, source]) => ({ name, source })));
      const source = JSON.stringify(Object.fromEntries(translations.map(({ entry }) => entry)));
      this.emitFile({ type: 'asset', fileName: languagesFileName, source });
    },
  };
}

interface Context {
  english: Catalogue;
  places: ReadonlyMap<string, number>;
  usedKeys: Set<string>;
}

/** `getText('chat.send')` → `getText(17, "Send")`, and `getTexts('chat')` → `getTexts({"send":[17,"Send"]})` */
function inlineKeys(code: string, file: string, { english, places, usedKeys }: Context): string {
  const expanded = code.replace(groupCall, (_, __, prefix: string | undefined) => {
    if (prefix === undefined) throw new Error(`getTexts() needs a literal prefix: ${file}`);
    const entries = [...english.texts].flatMap(([key, message]) => {
      const name = key.slice(prefix.length + 1);
      const isInGroup = key === `${prefix}.${name}` && !name.includes('.');
      if (!isInGroup || typeof message !== 'string') return [];
      usedKeys.add(key);
      return [[name, [places.get(key), message]]];
    });
    return `getTexts(${JSON.stringify(Object.fromEntries(entries))})`;
  });
  return expanded.replace(call, (_, name: string, __, key: string | undefined) => {
    const message = english.texts.get(key ?? '');
    if (message === undefined) {
      throw new Error(`${name}() needs a key of src/texts/en.json, as a literal: ${key ?? file}`);
    }
    usedKeys.add(key ?? '');
    return `${name}(${places.get(key ?? '')}, ${JSON.stringify(message)}`;
  });
}

function listTranslations(): Catalogue[] {
  return listLanguages()
    .filter((language) => language !== 'en')
    .map(loadCatalogue);
}

function toScript(
  { texts }: Catalogue,
  keys: readonly string[],
  usedKeys: ReadonlySet<string>,
  emoji: string | null,
): string {
  const messages = keys.map((key): Message | undefined =>
    usedKeys.has(key) ? texts.get(key) : undefined,
  );
  const errors = [...texts].filter(([key]) => key.startsWith(errorPrefix));
  const list = messages.map((message) => (message === undefined ? '' : JSON.stringify(message)));
  const sentences = Object.fromEntries(
    errors.map(([key, message]) => [key.slice(errorPrefix.length), message]),
  );
  return `catalogue={texts:[${list.join()}],errors:${JSON.stringify(sentences)},emoji:${JSON.stringify(emoji)}}`;
}
