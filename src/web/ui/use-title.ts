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

/** Before the title, so that a tab in the background tells of news. */
export function setUnreadInTitle(count: number): void {
  unread = count;
  show();
}
