import { queryOptions, useQuery } from '@tanstack/react-query';
import type { SchoolTheme } from '#contract/entities.ts';
import { toSchoolKey } from '#contract/school-key.ts';
import { call } from '#web/api.ts';
import { callWithOfflineFallback } from '#web/data/offline-answers.ts';
import { themeKey } from '#web/data/query-keys.ts';

/** `primaryColor` → `--primary-color` */
export function toCustomProperty(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** After this timeout the app opens without a theme. The value allows for slow connections. */
const timeoutMs = 15_000; // THEME-5

/** Fetches the theme and applies its values to the page. */
async function applyTheme(key: string): Promise<SchoolTheme> {
  const request = call('schoolTheme', { params: { key } }, timeoutMs);
  const theme = await callWithOfflineFallback('theme', request);
  for (const [name, value] of Object.entries(theme)) {
    document.documentElement.style.setProperty(toCustomProperty(name), value);
    // The browser's bar, or the title bar of the installed app.
    document.querySelector(`meta[data-theme-color="${name}"]`)?.setAttribute('content', value);
  }
  return theme;
}

async function fetchTheme(): Promise<SchoolTheme | null> {
  try {
    return await applyTheme(toSchoolKey(location.hostname));
  } catch (error) {
    console.error('The school theme could not be loaded.', error);
    return null;
  }
}

export const themeQuery = queryOptions({
  queryKey: themeKey,
  queryFn: fetchTheme,
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
});

/** The school's theme, or null if it could not be loaded. */
export function useSchoolTheme() {
  return useQuery(themeQuery);
}

/** The URL of the school's logo, or null if it has none. */
export function useLogoUrl(): string | null {
  return useSchoolTheme().data?.['logoUrl'] || null;
}
