import { splitLinks } from './message-links.ts';

export function MessageText({ text }: { text: string }) {
  return splitLinks(text).map(({ text: part, href }, index) =>
    href ? (
      <a key={index} href={href} target="_blank" rel="noreferrer noopener nofollow">
        {part}
      </a>
    ) : (
      part
    ),
  );
}
