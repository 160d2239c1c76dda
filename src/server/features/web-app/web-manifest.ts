// The web app manifest and the icons of the installed app, made from the theme of the school whose host name the browser
// asks.
import { createHash } from 'node:crypto';
import { formatHex } from 'culori';
import type { Context, Hono } from 'hono';
import { toIconPath, iconSizes, manifestPath } from '#contract/app-icons.ts';
import type { SchoolTheme } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { toSchoolKey } from '#contract/school-key.ts';
import { computeThemeColors } from './themes/theme-colors.ts';
import type { AppIcons } from './app-icons.ts';
import type { SchoolThemes } from './themes/school-themes.ts';

const immutable = 'public, max-age=31536000, immutable';

export function serveWebManifest(
  app: Hono,
  themes: Pick<SchoolThemes, 'getTheme'>,
  icons: AppIcons,
  appName: string,
): void {
  const getRequestTheme = ({ req }: Context) =>
    themes.getTheme(toSchoolKey(new URL(req.url).hostname));

  app.get(manifestPath, (context) => {
    const theme = getRequestTheme(context);
    const manifest = JSON.stringify(createManifest(theme, appName, icons.getVersion(theme)));
    return send(context, 'application/manifest+json', manifest, 'no-cache');
  });

  app.get('/icons/*', async (context) => {
    const theme = getRequestTheme(context);
    const icon = await icons.read(theme, context.req.path);
    if (!icon) throw new AppError('NOT_FOUND');
    const isCurrent = context.req.query('v') === icons.getVersion(theme);
    return send(context, 'image/png', icon, isCurrent ? immutable : 'no-cache');
  });
}

function createManifest(theme: SchoolTheme, appName: string, version: string) {
  const surface = formatHex(computeThemeColors(theme, 'light').surface);
  const toIcons = (purpose: 'any' | 'maskable') =>
    iconSizes[purpose].map((size) => ({
      src: `${toIconPath(purpose, size)}?v=${version}`,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose,
    }));
  const school = theme['name'];
  return {
    id: '/',
    name: school === undefined ? appName : `${appName} – ${school}`,
    short_name: appName,
    description: 'Anonymous class chat for students.',
    lang: 'en',
    dir: 'ltr',
    start_url: '/home',
    scope: '/',
    display: 'standalone',
    theme_color: surface,
    background_color: surface,
    categories: ['education', 'social'],
    icons: [...toIcons('any'), ...toIcons('maskable')],
  };
}

function send(
  context: Context,
  type: string,
  content: string | Uint8Array<ArrayBuffer>,
  caching: string,
): Response {
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const headers = { 'content-type': type, etag, 'cache-control': caching };
  if (context.req.header('if-none-match') === etag) return context.body(null, 304, headers);
  return context.body(content, 200, headers);
}
