import { Fragment, type ReactNode } from 'react';
import { findBareAddress, parseLinkTarget } from '#web/markup/links.ts';

/** Plain text whose typed addresses are links. Each shows its whole target, as in messages. */
export function AnnouncementText({ text }: { text: string }) {
  return splitLinks(text).map(({ part, href }, index) => (
    <Fragment key={index}>
      {href === null ? (
        part
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener nofollow">
          {part}
        </a>
      )}
    </Fragment>
  )) satisfies ReactNode;
}

function splitLinks(text: string): { part: string; href: string | null }[] {
  const parts: { part: string; href: string | null }[] = [];
  let plainFrom = 0;
  for (let position = 0; position < text.length;) {
    const address = findBareAddress(text, position, () => false);
    const target = address && parseLinkTarget(address);
    if (target) {
      if (plainFrom < position) parts.push({ part: text.slice(plainFrom, position), href: null });
      parts.push({ part: address, href: target.href });
      plainFrom = position + address.length;
    }
    position += address.length || 1;
  }
  if (plainFrom < text.length) parts.push({ part: text.slice(plainFrom), href: null });
  return parts;
}
