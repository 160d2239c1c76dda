import { parseAccept } from 'hono/utils/accept';
import { parseCookie, stringifySetCookie } from 'cookie';

/** The page writes it when its reader chooses a language (web/data/language.ts). */
const cookieName = 'language';

/** A `Set-Cookie` value that ends the choice. */
export const forgottenLanguage = stringifySetCookie({
  name: cookieName,
  value: '',
  path: '/',
  maxAge: 0,
});

/**
 * Chooses one of the languages: that of the reader's own choice, or the first one that the browser asks for, or else the first one.
 * An address never contains it, because proxies log addresses.
 */
export function chooseLanguage(headers: Headers, languages: readonly string[]): string {
  const chosen = parseCookie(headers.get('cookie') ?? '')[cookieName] ?? '';
  const wanted = parseAccept(headers.get('accept-language') ?? '').map(({ type }) => type);
  for (const tag of [chosen, ...wanted]) {
    const language = findLanguage(tag, languages);
    if (language !== undefined) return language;
  }
  return languages[0] ?? 'en';
}

/** `de-AT` and `de` find `de`; `pt` and `pt-PT` find `pt-BR`. */
function findLanguage(tag: string, languages: readonly string[]): string | undefined {
  const toBase = (language: string) => language.split('-')[0]?.toLowerCase();
  return (
    languages.find((language) => language.toLowerCase() === tag.toLowerCase()) ??
    languages.find((language) => toBase(language) === toBase(tag))
  );
}

export function isRightToLeft(language: string): boolean {
  return ['Arab', 'Hebr'].includes(new Intl.Locale(language).maximize().script ?? '');
}
