// Which typed addresses are links, and where they lead.
import { isWordCharacter } from '#contract/word-boundary.ts';

/**
 * The characters that end an address: quotes, brackets and punctuation of languages without spaces, and direction
 * controls, which could make an address look like another one. An apostrophe can be a part of a name.
 */
const end = String.raw`\s<>"\u0060«»‹›“”„‟‘‚‛\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u3001-\u3003\u3008-\u301f\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\uff3b\uff3d\uff5b\uff5d\uff5f-\uff64`;
const inAddress = String.raw`(?:[^${end}'’]|['’](?=[\p{L}\p{N}]))`;
/** Browsers would accept round brackets, commas and semicolons in a host, but no host has them. */
const webHost = new RegExp(String.raw`(?:https?://|www\.)[^/?#'’(),;${end}]{1,320}`, 'iy');
const afterHost = new RegExp(`(?:[/?#]${inAddress}*)?`, 'uy');
/** The apostrophe is allowed, because `neil@` in `o'neil@` is the mailbox of someone else. */
const mailAddress =
  /[a-z\d](?:[\w.+-]|'(?=[a-z\d])){0,63}@[a-z\d][a-z\d-]{0,62}(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?){1,8}/iy;

/**
 * The address that begins at this place of the text, or ''. The host is checked first, because otherwise a text that
 * consists of beginnings of addresses would be read to its end for each of them.
 *
 * @param isInBrackets whether a '[' is open: its ']' then ends the address
 */
export function findBareAddress(text: string, offset: number, isInBrackets: () => boolean): string {
  const previous = text[offset - 1] ?? '';
  if (!/[a-z\d]/i.test(text[offset] ?? '') || isWordCharacter(previous)) return '';
  // The start of emphasis can be before the address. In a name, it can not.
  if (previous === '_' && isWordCharacter(text[offset - 2] ?? '')) return '';
  const host = findMatchAt(webHost, text, offset);
  if (host && parseLinkTarget(trimLink(host))) {
    const address = host + findMatchAt(afterHost, text, offset + host.length);
    const cut = address.includes(']') && isInBrackets() ? address.split(']')[0] : address;
    const trimmedLink = trimLink(cut ?? '');
    return trimmedLink.endsWith('_') && isInUnderscores(text.slice(0, offset))
      ? trimLink(trimmedLink.replace(/_+$/, ''))
      : trimmedLink;
  }
  // The part of `a.b@c.d` after the first dot is no address.
  const previousText = text.slice(Math.max(0, offset - 2), offset);
  return /(?:[.+@-]|[a-z\d]')$/i.test(previousText) ? '' : findMatchAt(mailAddress, text, offset);
}

function findMatchAt(pattern: RegExp, text: string, offset: number): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? '';
}

/** Removes trailing punctuation, which belongs to the sentence and not to the link. */
function trimLink(link: string): string {
  let to = link.length;
  const surplus = { ')': countSurplus(link, '(', ')'), ']': countSurplus(link, '[', ']') };
  for (;;) {
    const last = link[to - 1] ?? '';
    if (last === ')' || last === ']') {
      if (surplus[last]-- <= 0) return link.slice(0, to);
    } else if (!/[.,;:!?*~|$…\\،؛؟।]/.test(last)) {
      return link.slice(0, to);
    }
    to--;
  }
}

/** Whether more underscores before an address begin emphasis than end it. */
function isInUnderscores(textBefore: string): boolean {
  const starts = textBefore.match(/(?<![\p{L}\p{N}_])_+(?=[^\s_]|$)/gu) ?? [];
  const ends = textBefore.match(/(?<=[^\s_])_+(?![\p{L}\p{N}_])(?!$)/gu) ?? [];
  return starts.length > ends.length;
}

/** How many more brackets are closed than opened. */
function countSurplus(link: string, open: string, close: string): number {
  return link.split(close).length - link.split(open).length;
}

/** Where an address leads. Null if it is no link: the app links only to the web and to mail addresses. */
export function parseLinkTarget(address: string): URL | null {
  const target = address.startsWith('<') ? address.slice(1, -1) : address;
  const url =
    URL.parse(/^www\.[^.]/i.test(target) ? `https://${target}` : target) ?? parseMailTarget(target);
  if (url?.protocol === 'mailto:') {
    // The rest could add a text, or readers who are not seen.
    const isAddress = /^[^@/?#]+@[^@/?#]+\.[^@/?#.]+$/.test(url.pathname);
    return isAddress ? new URL(`mailto:${url.pathname}`) : null;
  }
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : null;
}

function parseMailTarget(address: string): URL | null {
  return /^[^\s@:/]+@[^\s@:/]+$/.test(address) ? URL.parse(`mailto:${address}`) : null;
}
