// The page of the app in each language: the built one is English, and a page of another language loads a script with its texts
// (scripts/web-build/inline-texts.ts).

import { brotliCompressSync, constants } from 'node:zlib';
import { isRightToLeft } from '#server/http/choose-language.ts';

/** A file of the build with the scripts. */
export const languagesFileName = 'languages.json';

export interface TranslatedScript {
  /** Its name does not contain the language, because proxies log paths. */
  script: string;
  /** Whether a native speaker has checked all texts. */
  isReviewed: boolean;
}
export type TranslatedScripts = Readonly<Record<string, TranslatedScript>>;

/** Returns the page of a language, or the English page if the build has no such language. */
export function translatePage(html: string, language: string, scripts: TranslatedScripts): string {
  const translation = scripts[language];
  if (!translation) return html;
  const direction = isRightToLeft(language) ? ' dir="rtl"' : '';
  return (
    html
      .replace('<html lang="en">', `<html lang="${language}"${direction}>`)
      // Browsers load it together with the modules of the app, and run it before them.
      .replace('<script type="module"', `<script defer src="${translation.script}"></script>\n$&`)
  );
}

/** The values of the meta tags for the choice of a language. */
export function toLanguageMeta(
  languages: readonly string[],
  scripts: TranslatedScripts,
): Record<string, string> {
  const uncheckedLanguages = languages.filter(
    (language) => scripts[language]?.isReviewed === false,
  );
  return {
    languages: languages.join(','),
    'unchecked-languages': uncheckedLanguages.join(','),
  };
}

const emptyBlock = 0x06;
const lastBlock = 0x03;

/** Compresses files of several languages to one size, which tells a watcher of the network nothing. */
export function compressToOneSize<Key>(
  contents: ReadonlyMap<Key, Uint8Array>,
): Map<Key, Uint8Array<ArrayBuffer>> {
  const options = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
  const streams = [...contents].map(
    ([key, content]) => [key, brotliCompressSync(content, options)] as const,
  );
  const size = Math.max(...streams.map(([, stream]) => stream.length)) + 1;
  const padded = streams.map(([key, stream]) => {
    const bytes = new Uint8Array(size).fill(emptyBlock);
    bytes.set(stream);
    bytes.set([lastBlock], size - 1);
    return [key, bytes] as const;
  });
  return new Map(padded);
}
