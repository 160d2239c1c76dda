export interface TextPart {
  text: string;
  href: string | null;
}

const candidate = /https?:\/\/[^\s<>"'`]+/gi;

/** A link as people write it: what ends the sentence around it is not a part of it. */
function trimmed(link: string): string {
  let end = link.length;
  for (;;) {
    const last = link[end - 1] ?? '';
    const open = last === ')' ? '(' : last === ']' ? '[' : null;
    const body = link.slice(0, end);
    const unbalanced = open && body.split(last).length > body.split(open).length;
    if (!/[.,;:!?*_…]/.test(last) && !unbalanced) return body;
    end--;
  }
}

function isWebLink(link: string): boolean {
  const url = URL.parse(link);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

/** Text cut into links and what lies between them. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(candidate)) {
    const href = trimmed(match[0]);
    if (!isWebLink(href)) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index), href: null });
    parts.push({ text: href, href });
    from = match.index + href.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), href: null });
  return parts;
}
