// Computes the colors of contract/colors.css for a theme, so that the server can check a theme before anyone sees it.
// tests/e2e/themes.spec.ts compares them with those that Chromium paints.
import { clampRgb, converter, interpolate, parse, type Color, type Oklch, type Rgb } from 'culori';
import type { SchoolTheme } from '#contract/entities.ts';
import { colorTokens } from './color-tokens.ts';

export const colorSchemes = ['light', 'dark'] as const;
export type ColorScheme = (typeof colorSchemes)[number];

/** Colors by token name, without leading dashes. */
export type ThemeColors = Record<(typeof tokenNames)[number], Rgb>;

export const tokenNames = [
  ...['background', 'surface', 'raised', 'text', 'muted', 'line-strong'],
  ...['accent', 'accent-hover', 'accent-pressed', 'accent-text', 'accent-soft'],
  ...['accent-dark', 'soft', 'spine', 'spine-text'],
  ...['danger', 'danger-text', 'danger-soft', 'positive', 'positive-soft'],
] as const;

export function computeThemeColors(theme: SchoolTheme, colorScheme: ColorScheme): ThemeColors {
  return Object.fromEntries(
    tokenNames.map((name) => [
      name,
      onScreen(evaluate(`var(--${name})`, { theme, colorScheme: colorScheme })),
    ]),
  ) as ThemeColors;
}

/** The color of a persona's name with this hue. */
export function computePersonaNameColor(hue: number, colorScheme: ColorScheme): Rgb {
  return onScreen(
    colorScheme === 'light' ? createOklch(0.46, 0.12, hue) : createOklch(0.82, 0.1, hue),
  );
}

/** Blends a translucent color over another one. */
export function paintOver(top: Rgb, share: number, background: Rgb): Rgb {
  return onScreen(interpolate([background, top], 'rgb')(share));
}

interface Scope {
  theme: SchoolTheme;
  colorScheme: ColorScheme;
}

/** @throws {Error} for CSS that colors.css has not had so far */
function evaluate(css: string, scope: Scope): Color {
  const [, name = '', content = ''] = /^\s*([\w-]+)\(([^]*)\)\s*$/.exec(css) ?? [];
  if (name === 'var') return evaluate(resolveValue(content, scope), scope);
  if (name === 'light-dark') {
    const [light = '', dark = ''] = split(content, ',');
    return evaluate(scope.colorScheme === 'light' ? light : dark, scope);
  }
  if (name === 'color-mix') {
    const [space, weightedColor = '', other = ''] = split(content, ',');
    const [, color = '', percentage] = /^(.*) ([\d.]+)%$/s.exec(weightedColor) ?? [];
    if (space !== 'in oklab') throw createUnknownError(css);
    const ends = [evaluate(other, scope), evaluate(color, scope)];
    return interpolate(ends, 'oklab')(Number(percentage) / 100);
  }
  const [from, origin = '', lightness = '', chroma = ''] = split(content, ' ');
  if (name === 'oklch' && from === 'from') {
    const { l, c, h } = toOklch(evaluate(origin, scope));
    return createOklch(
      clampLightness(calculate(lightness, { l, c })),
      calculate(chroma, { l, c }),
      h ?? 0,
    );
  }
  const color = parse(css.trim());
  if (!color) throw createUnknownError(css);
  return color;
}

/** Resolves `--name, fallback` to a property of the theme, another token or the fallback. */
function resolveValue(content: string, { theme }: Scope): string {
  const [name = '', ...fallback] = split(content, ',');
  const property = name.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return theme[property] ?? colorTokens.get(name) ?? fallback.join(',');
}

/** A channel of a relative color: `c`, `0.03`, `min(l, 0.48)`, `calc(l - 0.05)` or `min(calc(c * 0.35), 0.028)`. */
function calculate(css: string, channels: Readonly<Record<string, number>>): number {
  const [, operation, content = ''] = /^(min|max|calc)\((.*)\)$/.exec(css) ?? [];
  if (operation === 'min' || operation === 'max') {
    return Math[operation](...split(content, ',').map((part) => calculate(part, channels)));
  }
  if (operation === 'calc') {
    const [left = '', sign, right = ''] = split(content, ' ');
    const value = calculate(left, channels);
    const other = calculate(right, channels);
    if (sign === '+') return value + other;
    if (sign === '-') return value - other;
    if (sign === '*') return value * other;
  }
  const value = channels[css] ?? Number(css);
  if (Number.isNaN(value)) throw createUnknownError(css);
  return value;
}

/** Splits where no parenthesis is open. */
function split(css: string, separator: ',' | ' '): string[] {
  const text = css.replace(/\s+/g, ' ').trim();
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== separator || depth > 0) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return [...parts, text.slice(start).trim()];
}

const createUnknownError = (css: string) => new Error(`The server cannot compute the color ${css}`);

const toOklch = converter('oklch');
const toRgb = converter('rgb');

const clampLightness = (lightness: number) => Math.min(1, Math.max(0, lightness));

function createOklch(l: number, c: number, h: number): Oklch {
  return { mode: 'oklch', l, c, h };
}

/** Rounds to 256 steps per channel and clips to sRGB, as browsers do. */
function onScreen(color: Color): Rgb {
  const { r, g, b } = clampRgb(toRgb(color));
  const step = (value: number) => Math.round(value * 255) / 255;
  return { mode: 'rgb', r: step(r), g: step(g), b: step(b) };
}
