import { useEffect } from 'react';
import { site } from '#web/site.ts';

let current: string | null = null;
let unread = 0;

function show(): void {
  const title = current ? `${current} · ${site.appName}` : site.appName;
  document.title = unread > 0 ? `(${unread}) ${title}` : title;
}

export function useTitle(title: string | null): void {
  useEffect(() => {
    current = title;
    show();
  }, [title]);
}

/** Puts the count before the title, so that it is visible in a background tab. */
export function setUnreadInTitle(count: number): void {
  unread = count;
  show();
}
