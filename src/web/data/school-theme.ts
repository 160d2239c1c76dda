import { useQuery } from '@tanstack/react-query';
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

async function fetchTheme() {
  try {
    const theme = await call('schoolTheme', { params: { key: schoolKey(location.hostname) } });
    for (const [name, value] of Object.entries(theme)) {
      document.documentElement.style.setProperty(customProperty(name), value);
    }
    return theme;
  } catch (error) {
    console.error('The school theme could not be loaded.', error);
    return {};
  }
}

/** The school's theme; an empty one when it could not be had. */
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
