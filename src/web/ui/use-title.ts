import { useEffect } from 'react';
import { site } from '#web/site.ts';

export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title ? `${title} · ${site.appName}` : site.appName;
  }, [title]);
}
