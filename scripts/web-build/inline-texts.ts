// Puts the English texts where the web app uses them, and builds a script with all texts for each other language.
import type { Plugin } from 'vite';
import type { Message } from '../../src/contract/message-format.ts';
import {
  listLanguages,
  loadCatalogue,
  pseudoLanguages,
  type Catalogue,
} from '../../src/server/base/catalogues.ts';
import {
  languagesFileName,
  type TranslatedScript,
} from '../../src/server/features/web-app/translated-pages.ts';
import { loadPseudoCatalogue } from './pseudo-languages.ts';

const call = /(?<![\w.$])(getText|getRichText)\(\s*(?:(["'`])([\w.-]+)\2)?/g;
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
      const languages = listTranslations().map((catalogue) => {
        const source = toScript(catalogue, [...places.keys()], usedKeys);
        const file = this.emitFile({ type: 'asset', name: 'texts.js', source });
        const { language, isReviewed } = catalogue;
        const translation: TranslatedScript = { script: `/${this.getFileName(file)}`, isReviewed };
        return [language, translation];
      });
      const source = JSON.stringify(Object.fromEntries(languages));
      this.emitFile({ type: 'asset', fileName: languagesFileName, source });
    },
  };
}

interface Context {
  english: Catalogue;
  places: ReadonlyMap<string, number>;
  usedKeys: Set<string>;
}

/** `getText('chat.send')` → `getText(17, "Send")` */
function inlineKeys(code: string, file: string, { english, places, usedKeys }: Context): string {
  return code.replace(call, (_, name: string, __, key: string | undefined) => {
    const message = english.texts.get(key ?? '');
    if (message === undefined) {
      throw new Error(`${name}() needs a key of src/texts/en.json, as a literal: ${key ?? file}`);
    }
    usedKeys.add(key ?? '');
    return `${name}(${places.get(key ?? '')}, ${JSON.stringify(message)}`;
  });
}

function listTranslations(): Catalogue[] {
  const languages = listLanguages().filter((language) => language !== 'en');
  return [...languages.map(loadCatalogue), ...pseudoLanguages.map(loadPseudoCatalogue)];
}

function toScript(
  { texts }: Catalogue,
  keys: readonly string[],
  usedKeys: ReadonlySet<string>,
): string {
  const messages = keys.map((key): Message | undefined =>
    usedKeys.has(key) ? texts.get(key) : undefined,
  );
  const errors = [...texts].filter(([key]) => key.startsWith(errorPrefix));
  const list = messages.map((message) => (message === undefined ? '' : JSON.stringify(message)));
  const sentences = Object.fromEntries(
    errors.map(([key, message]) => [key.slice(errorPrefix.length), message]),
  );
  return `catalogue={texts:[${list.join()}],errors:${JSON.stringify(sentences)}}`;
}
