// The web app manifest and the icons of the installed app, made from the theme of the school whose host name the browser
// asks.
import { createHash } from 'node:crypto';
import { formatHex } from 'culori';
import type { Context, Hono } from 'hono';
import { iconPath, iconSizes, manifestPath } from '#contract/app-icons.ts';
import type { SchoolTheme } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { schoolKey } from '#contract/school-key.ts';
import { themeColours } from './themes/theme-colours.ts';
import type { AppIcons } from './app-icons.ts';
import type { SchoolThemes } from './themes/school-themes.ts';

const immutable = 'public, max-age=31536000, immutable';

export function webManifest(
  app: Hono,
  themes: Pick<SchoolThemes, 'themeFor'>,
  icons: AppIcons,
  appName: string,
): void {
  const themeOf = ({ req }: Context) => themes.themeFor(schoolKey(new URL(req.url).hostname));

  app.get(manifestPath, (context) => {
    const theme = themeOf(context);
    const manifest = JSON.stringify(manifestOf(theme, appName, icons.versionOf(theme)));
    return send(context, 'application/manifest+json', manifest, 'no-cache');
  });

  app.get('/icons/*', async (context) => {
    const theme = themeOf(context);
    const icon = await icons.read(theme, context.req.path);
    if (!icon) throw new AppError('NOT_FOUND');
    const isCurrent = context.req.query('v') === icons.versionOf(theme);
    return send(context, 'image/png', icon, isCurrent ? immutable : 'no-cache');
  });
}

function manifestOf(theme: SchoolTheme, appName: string, version: string) {
  const surface = formatHex(themeColours(theme, 'light').surface);
  const iconsOf = (purpose: 'any' | 'maskable') =>
    iconSizes[purpose].map((size) => ({
      src: `${iconPath(purpose, size)}?v=${version}`,
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
    icons: [...iconsOf('any'), ...iconsOf('maskable')],
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
