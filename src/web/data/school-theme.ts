import { useQuery } from '@tanstack/react-query';
import type { SchoolTheme } from '#contract/entities.ts';
import { call } from '#web/api.ts';

/** The school key of a host name: its first label. */
export function schoolKey(hostname: string): string {
  const address = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  const label = hostname.split('.')[0] ?? '';
  const named = !address && label !== 'localhost' && /^[a-z0-9-]{1,63}$/i.test(label);
  return named ? label : 'default';
}

/** `primaryColor` → `--primary-color` */
export function customProperty(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** After this timeout the app opens without a theme. The value allows for slow connections. */
const timeoutMs = 15_000; // THEME-5

/** Fetches the theme and applies its values to the page. */
export async function applyTheme(key: string): Promise<SchoolTheme> {
  const theme = await call('schoolTheme', { params: { key } }, timeoutMs);
  for (const [name, value] of Object.entries(theme)) {
    document.documentElement.style.setProperty(customProperty(name), value);
  }
  return theme;
}

async function fetchTheme(): Promise<SchoolTheme | null> {
  try {
    return await applyTheme(schoolKey(location.hostname));
  } catch (error) {
    console.error('The school theme could not be loaded.', error);
    return null;
  }
}

/** The school's theme, or null if it could not be loaded. */
export function useSchoolTheme() {
  return useQuery({
    queryKey: ['theme'],
    queryFn: fetchTheme,
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
}

/** The URL of the school's logo, or null if it has none. */
export function useLogoUrl(): string | null {
  return useSchoolTheme().data?.['logoUrl'] || null;
}
