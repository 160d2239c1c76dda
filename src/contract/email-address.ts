import { removeInvisible } from './text.ts';

/** Printable ASCII as Chinese, Japanese and Korean keyboards write it. */
const fullWidth = /[\uff01-\uff5e]/g;

/** Returns the bare address of a text that a person typed or pasted, such as `"Ada" <ada@uni.edu>` or `mailto:ada@uni.edu`. */
export function parseTypedEmail(typedText: string): string {
  const text = removeInvisible(typedText).replaceAll(fullWidth, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) - 0xfee0),
  );
  // Several addresses in brackets stay a list, which is rejected.
  const [, inBrackets = text] = /^[^<>]*<([^<>]*)>$/.exec(trimEnd(text)) ?? [];
  const [, inLink] = /^mailto:([^?]*)/i.exec(inBrackets.trim()) ?? [];
  return trimEnd(inLink === undefined ? inBrackets : decodeLink(inLink)).trim();
}

/** Without the lookbehind, many spaces inside of a text would take quadratic time. */
const trimEnd = (text: string) => text.replace(/(?<![\s,;.])[\s,;.]+$/, '');

function decodeLink(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Lists the domains in a sentence, for example `@uni.edu`, or `@uni.edu, @students.uni.edu or @alumni.uni.edu`. */
export function formatDomainChoice(domains: readonly string[], language = 'en'): string {
  // American English would put a comma before the last one.
  const locale = language === 'en' ? 'en-GB' : language;
  const names = domains.map((domain) => `@${domain}`);
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(names);
}

/**
 * True if the text is one bare address (no name, list, comment or quoted part) and the part after the
 * last `@` equals one of the university's domains, ignoring case.
 */
export function isUniversityEmail(email: string, domains: readonly string[]): boolean {
  const atSign = email.lastIndexOf('@');
  const localPart = email.slice(0, atSign);
  const domain = email.slice(atSign + 1).toLowerCase();
  return (
    atSign > 0 &&
    // Lower-casing can turn other characters into ASCII letters: the Kelvin sign becomes k.
    /^[\x21-\x7e]+$/.test(email) &&
    domains.some((allowedDomain) => allowedDomain.toLowerCase() === domain) &&
    /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i.test(localPart)
  );
}

/**
 * Local parts that every mail server takes literally. Mail servers pass `a%b.example` and `b.example!a` on to another host,
 * take a leading `-` as an option and `|` or `/` as a command or a file, and expand `$`, `` ` ``, `*` and braces. AUTH-65
 */
const mailableLocalPart = /^\w[\w+'&=#~-]*(\.[\w+'&=#~-]+)*$/;

/** Why no new account can have the address. Accounts that exist keep theirs. */
export function findAddressError(
  email: string,
  domains: readonly string[],
): 'WRONG_EMAIL_DOMAIN' | 'EMAIL_CHARACTERS' | null {
  if (!isUniversityEmail(email, domains)) return 'WRONG_EMAIL_DOMAIN';
  return isMailable(email) ? null : 'EMAIL_CHARACTERS';
}

/** Whether it looks like an address on the internet, to which anyone can ask for an answer. An IP address is no domain. */
export const isInternetAddress = (address: string) =>
  isMailable(address) && /@[^@]+\.[^.@\d][^.@]+$/.test(address);

/** Whether the text is one bare address, on any domain, that mail servers deliver to this domain. AUTH-65 */
export function isMailable(address: string): boolean {
  const [localPart = '', domain = '', ...rest] = address.split('@');
  return (
    rest.length === 0 && mailableLocalPart.test(localPart) && /^[^\s<>,:;"()[\]\\%!]+$/.test(domain)
  );
}
