import { useQuery } from '@tanstack/react-query';
import type { SchoolTheme } from '#contract/entities.ts';
import { call } from '#web/api.ts';

/** The key of the school that a host name stands for: its first label. */
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

/** A slow line is no failure. After this the app opens without a theme. */
const timeoutMs = 15_000; // THEME-5

/** Fetches the theme of this key and puts its values on the page. */
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

/** The school's theme; null when it could not be had. */
export function useSchoolTheme() {
  return useQuery({
    queryKey: ['theme'],
    queryFn: fetchTheme,
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
  });
}

/** The school's logo; null when it has none. */
export function useLogoUrl(): string | null {
  return useSchoolTheme().data?.['logoUrl'] || null;
}
