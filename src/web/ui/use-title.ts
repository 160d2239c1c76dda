import { useEffect } from 'react';
import { site } from '#web/site.ts';

let current: string | null = null;
let unread = '';

function show(): void {
  const title = current ? `${current} · ${site.appName}` : site.appName;
  document.title = unread ? `(${unread}) ${title}` : title;
}

export function useTitle(title: string | null): void {
  useEffect(() => {
    current = title;
    show();
  }, [title]);
}

/** Puts the count before the title, so that it is visible in a background tab. Empty: nothing is unread. */
export function setUnreadInTitle(count: string): void {
  unread = count;
  show();
}
