import { splitLinks } from './message-links.ts';

/** @param tabIndex of its links */
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
