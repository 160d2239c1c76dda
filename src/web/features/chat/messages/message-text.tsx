/** @param tabIndex the tabIndex of the links */
export function MessageText({ text, tabIndex }: { text: string; tabIndex: number }) {
  return splitLinks(text).map(({ text: part, href }, index) =>
    href ? (
      <a
        key={index}
        href={href}
        target="_blank"
        rel="noreferrer noopener nofollow"
        tabIndex={tabIndex}
      >
        {part}
      </a>
    ) : (
      part
    ),
  );
}

interface TextPart {
  text: string;
  href: string | null;
}

const candidate = /https?:\/\/[^\s<>"'`]+/gi;
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

/** Removes trailing punctuation, which belongs to the sentence and not to the link. */
function trimmed(link: string): string {
  const counts = new Map<string, number>();
  for (const sign of link) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  const count = (sign: string) => counts.get(sign) ?? 0;
  let end = link.length;
  for (;;) {
    const last = link[end - 1] ?? '';
    const open = opening[last];
    const unbalanced = open !== undefined && count(last) > count(open);
    if (!/[.,;:!?*_…]/.test(last) && !unbalanced) return link.slice(0, end);
    counts.set(last, count(last) - 1);
    end--;
  }
}

function isWebLink(link: string): boolean {
  const url = URL.parse(link);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

/** Splits text into links and the text between them. */
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
