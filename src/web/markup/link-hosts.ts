// Finds links whose text looks like another address than their own. A reader sees a word as a whole, even if only a part
// of the word is a link.
import type { Inline } from './markup.ts';
import { spacelessPattern } from '#contract/word-boundary.ts';

type Link = Extract<Inline, { kind: 'link' }>;

/** A part of the readable text of a line, and the link that it belongs to. */
interface Part {
  text: string;
  link: Link | null;
}

/** Sets the targets of the links that must show them. */
export function showTargets(content: readonly Inline[]): void {
  let word = '';
  let links = new Set<Link>();
  const endWord = () => {
    for (const link of links) link.target ??= findTargetToShow(word, new URL(link.href));
    word = '';
    links = new Set();
  };
  for (const { text, link } of listParts(content, null)) {
    const beginsLink = link !== null && beginsAddress.test(text) && dividerBefore.test(word);
    const endsLink = link === null && dividerAfter.test(text);
    if (beginsLink || endsLink) endWord();
    for (const [n, piece] of text.split(/\s+/).entries()) {
      if (n > 0) endWord();
      word += piece;
      if (link && piece !== '') links.add(link);
    }
  }
  endWord();
}

const beginsAddress = /^(?:https?:\/\/|www\.)/i;
/** Quotes, brackets, and letters of languages without spaces end the word before an address. */
const dividerBefore = new RegExp(String.raw`["'«»‹›“”„‘’,(]$|${spacelessPattern}$`, 'u');
/** After a link, a letter or a dot of any language could go on with the address that its text seems to be. */
const dividerAfter = /^["'«»‹›“”„‘’,;)]/;

function listParts(content: readonly Inline[], link: Link | null): Part[] {
  return content.flatMap((part): Part[] => {
    switch (part.kind) {
      case 'text':
        return [{ text: part.text, link }];
      case 'code':
        return [{ text: part.code.text, link }];
      case 'link':
        return listParts(part.content, part);
      case 'mention':
      case 'formula':
        // A formula can show any text, and a member can have any name.
        if (link) link.target = toHost(new URL(link.href));
        return [{ text: ' ', link: null }];
      case 'strong':
      case 'emphasis':
      case 'strike':
      case 'spoiler':
        return listParts(part.content, link);
    }
  });
}

function toHost({ protocol, pathname, hostname }: URL): string {
  return protocol === 'mailto:' ? pathname : removeWww(hostname);
}

/** Longer words are not searched for addresses: the targets of their links are always shown. */
const maxSearchedText = 300;

/** Characters that look like a dot, and characters that are not visible. */
const dots =
  /[\u00b7\u0387\u0660\u06f0\u0701\u0702\u2027\u2219\u22c5\u3002\u30fb\ua4f8\ua60e\u{10a50}]|\u{1d16d}/gu;
const invisible = /[\p{Cf}\p{M}\u1160\u2800]/gu;

/**
 * Finds the real host to show next to a link, if a word of its text looks like another address. Null: the text does not
 * mislead. Letters of other scripts can look like Latin ones, and the part before an '@' can look like a host. So a word
 * counts as the link's own host only in the form that the browser connects to.
 */
export function findTargetToShow(text: string, url: URL): string | null {
  const real = toHost(url);
  if (text.length > maxSearchedText) return real;
  const words = text
    .replace(dots, '.')
    .normalize('NFKC')
    .replace(invisible, '')
    .toLowerCase()
    .split(/\s+/);
  return words.every((word) => isAddressForHost(word, real)) ? null : real;
}

/** Whether the word is no address, or the address of this host. */
function isAddressForHost(word: string, real: string): boolean {
  const [, scheme, authority = ''] =
    /^[^\p{L}\p{N}/]*((?:https?:)?\/\/|mailto:)?([^/?#\\]*)/u.exec(word) ?? [];
  const host = removeWww(authority.replace(/[^\p{L}\p{N}]+$/u, '').replace(/:\d+$/, ''));
  if (host === real) return true;
  if (scheme !== undefined) return false;
  const hosts = listHosts(authority);
  // The text after an address is its path.
  return (hosts.length > 0 ? hosts : listHosts(word)).every((name) => removeWww(name) === real);
}

function listHosts(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}.-]+/u)
    .map((piece) => piece.replace(/^[.-]+|[.-]+$/g, ''))
    .filter((piece) => /\.(?=[^.]*\p{L})[\p{L}\p{N}-]{2,}$|^\d+(?:\.\d+){3}$/u.test(piece));
}

function removeWww(host: string): string {
  return host.replace(/^www\./, '');
}
