// The names of emoji and the words that find them, from CLDR, for languages other than English.
import { existsSync, readFileSync } from 'node:fs';
import { gemoji } from 'gemoji';

const packageFile = import.meta.resolve('cldr-annotations-full/package.json');

/** A script with the name of each emoji and then its words, in the order of `gemoji`; null if CLDR lacks the language. */
export function toEmojiScript(language: string): string | null {
  const file = [language, new Intl.Locale(language).language]
    .map((name) => new URL(`annotations/${name}/annotations.json`, packageFile))
    .find((path) => existsSync(path));
  if (!file) return null;
  const { annotations } = JSON.parse(readFileSync(file, 'utf8')) as {
    annotations: { annotations: Record<string, { default?: string[]; tts?: string[] }> };
  };
  const regions = new Intl.DisplayNames(language, { type: 'region' });
  const words = gemoji.map(({ emoji }) => {
    if (/^\p{RI}{2}$/u.test(emoji)) return [regions.of(toRegion(emoji))];
    const entry = annotations.annotations[emoji.replaceAll('\ufe0f', '')];
    return [...new Set([...(entry?.tts ?? []), ...(entry?.default ?? [])])];
  });
  const license = readFileSync(new URL('LICENSE', packageFile), 'utf8');
  return `/* ${license} */\nexport default ${JSON.stringify(words)}`;
}

/** `🇩🇪` → `DE` */
const toRegion = (flag: string) =>
  flag.replaceAll(/\p{RI}/gu, (sign) => String.fromCodePoint(sign.codePointAt(0)! - 0x1f1e6 + 65));
