// The icons of the installed app in a school's colors, with its logo if that is one of the app's own SVG files.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { formatHex } from 'culori';
import { LRUCache } from 'lru-cache';
import { iconSizes, toIconPath, type IconKind } from '#contract/app-icons.ts';
import type { SchoolTheme } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { computeThemeColors } from './themes/theme-colors.ts';
import { askFileWorker, forkFileWorker, type FileSandbox } from '#server/base/file-worker.ts';
import type { Log } from '#server/base/log.ts';

export interface AppIcons {
  /** Changes with the colors and the logo. */
  getVersion(theme: SchoolTheme): string;
  /**
   * Draws all icons of a theme on the first call.
   *
   * @returns null if no icon has this path
   * @throws {AppError} if they could not be drawn
   */
  read(theme: SchoolTheme, path: string): Promise<Uint8Array<ArrayBuffer> | null>;
}

/** What the child process draws. */
export interface IconDrawing {
  path: string;
  /** An SVG document of 32 by 32 units. */
  svg: string;
  size: number;
  /** The share of the width that the logo takes, in the middle. Without it, the icon has no logo. */
  logoShare?: number;
}
export interface IconSet {
  /** An SVG document. */
  logo: string | null;
  drawings: IconDrawing[];
}
export type DrawnIcons = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

const program = fileURLToPath(new URL('app-icon-worker.ts', import.meta.url));
/** Drawing takes less than a second. The limit allows for a busy machine. */
const timeoutMs = 60_000;
/** Themes rarely change. Icons that are no longer in the cache are drawn again. */
const maxCached = 50;

/** @param loadLogo returns the app's own SVG file of this path, or null */
export function createAppIcons(
  loadLogo: (path: string) => string | null,
  sandbox: Promise<FileSandbox>,
  log: Log,
): AppIcons {
  const cache = new LRUCache<string, Promise<DrawnIcons | null>>({ max: maxCached });
  const versions = new WeakMap<SchoolTheme, string>();

  /** The themes whose logo could not be drawn. They have the icons without a logo. */
  const withoutLogo = new WeakSet<SchoolTheme>();

  function createIcons(theme: SchoolTheme): IconSet {
    const { accent, surface } = computeThemeColors(theme, 'light');
    const colors = { accent: formatHex(accent), surface: formatHex(surface) };
    const logo = withoutLogo.has(theme) ? null : loadLogo(theme['logoUrl'] ?? '');
    const drawings = kinds.flatMap((kind) =>
      iconSizes[kind].map((size) => {
        const path = toIconPath(kind, size);
        return { path, size, ...createDrawing(kind, colors, logo !== null) };
      }),
    );
    return { logo, drawings };
  }

  function getVersion(theme: SchoolTheme): string {
    const knownVersion = versions.get(theme);
    if (knownVersion !== undefined) return knownVersion;
    const icons = JSON.stringify(createIcons(theme));
    const version = createHash('sha256').update(icons).digest('base64url').slice(0, 10);
    versions.set(theme, version);
    return version;
  }

  /** @returns null if the icons could not be drawn */
  function drawOnce(theme: SchoolTheme): Promise<DrawnIcons | null> {
    const version = getVersion(theme);
    const knownIcons = cache.get(version);
    if (knownIcons) return knownIcons;
    const icons = createIcons(theme);
    const drawing = draw(icons, sandbox).catch((error: unknown) => {
      cache.delete(version);
      if (icons.logo === null) log.warn('icons.failed', { error });
      else log.warn('icons.no-logo', { error, file: theme['logoUrl'] ?? '' });
      return null;
    });
    cache.set(version, drawing);
    return drawing;
  }

  async function getDrawnIcons(theme: SchoolTheme): Promise<DrawnIcons> {
    const icons = await drawOnce(theme);
    if (icons) return icons;
    if (loadLogo(theme['logoUrl'] ?? '') === null) throw new AppError('UNAVAILABLE');
    // Icons without the logo have another version, so browsers load the icons again when the logo is repaired.
    withoutLogo.add(theme);
    versions.delete(theme);
    const plainIcons = await drawOnce(theme);
    if (!plainIcons) throw new AppError('UNAVAILABLE');
    return plainIcons;
  }

  return {
    getVersion,
    async read(theme, path) {
      return allPaths.has(path) ? ((await getDrawnIcons(theme)).get(path) ?? null) : null;
    },
  };
}

const kinds = Object.keys(iconSizes) as IconKind[];
const allPaths = new Set(
  kinds.flatMap((kind) => iconSizes[kind].map((size) => toIconPath(kind, size))),
);

/** Draws in a child process that ends afterwards, so that the server does not keep the memory. */
async function draw(icons: IconSet, sandbox: Promise<FileSandbox>): Promise<DrawnIcons> {
  const child = forkFileWorker(program, ['--max-old-space-size=64'], await sandbox);
  try {
    const request = new TextEncoder().encode(JSON.stringify(icons));
    const answer = await askFileWorker<DrawnIcons>(child, request, timeoutMs);
    if (!(answer instanceof Map)) throw new Error('The icons could not be drawn.');
    return answer;
  } finally {
    child.kill('SIGKILL');
  }
}

/** The speech bubbles of favicon.svg, in 32 by 32 units. */
const bubbles =
  '<path d="M8 20.5V12a3 3 0 0 1 3-3h7a3 3 0 0 1 3 3v3a3 3 0 0 1-3 3h-6.5z" fill="#fff"/><path d="M24.5 24.500V17.500a2 2 0 0 0-1-1.700 5.500 5.500 0 0 1-5.500 5.200h-2.200a2 2 0 0 0 1.700 1h4.500z" fill="#fff" opacity=".65"/>';

function createDrawing(
  kind: IconKind,
  colors: { accent: string; surface: string },
  hasLogo: boolean,
): Pick<IconDrawing, 'svg' | 'logoShare'> {
  const drawSquare = (fill: string, radius = 0) =>
    `<rect width="32" height="32" rx="${radius}" fill="${fill}"/>`;
  if (kind === 'badge') return { svg: toSvg(enlarge(bubbles)) };
  if (!hasLogo) return { svg: toSvg(drawSquare(colors.accent, kind === 'any' ? 7 : 0) + bubbles) };
  // Devices may cut a maskable icon to a circle of 80%: the corners of the logo stay within it.
  const logoShare = { any: 1, maskable: 18 / 32, apple: 24 / 32 }[kind];
  return { svg: toSvg(kind === 'any' ? '' : drawSquare(colors.surface)), logoShare };
}

/** Fills the square with the bubbles, which have a wide margin. */
function enlarge(content: string): string {
  return `<g transform="translate(-10.200 -11) scale(1.65)">${content}</g>`;
}

function toSvg(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${content}</svg>`;
}
