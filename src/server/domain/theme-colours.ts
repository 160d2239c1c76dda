// Computes the colours that web/ui/tokens.css derives from a theme, so that the server can check a theme
// before anyone sees it. tests/e2e/themes.spec.ts compares the two.
import {
  clampRgb,
  converter,
  interpolate,
  parseHex,
  type Color,
  type Oklch,
  type Rgb,
} from 'culori';
import type { SchoolTheme } from '#contract/entities.ts';

export const looks = ['light', 'dark'] as const;
export type Look = (typeof looks)[number];

/** By token name, without leading dashes. */
export type ThemeColours = Record<(typeof tokenNames)[number], Rgb>;

export const tokenNames = [
  ...['background', 'surface', 'raised', 'text', 'muted', 'line-strong'],
  ...['accent', 'accent-hover', 'accent-pressed', 'accent-text', 'accent-soft'],
  ...['danger', 'danger-text', 'danger-soft', 'positive', 'positive-soft'],
] as const;

/** The colours of the app without a theme. */
const defaults = {
  primaryColor: '#1f6b5c',
  backgroundColor: '#fdfcfa',
  backgroundColorDark: '#1c1b19',
  surfaceColor: '#f4f1eb',
  surfaceColorDark: '#151412',
  textColor: '#24211d',
  textColorDark: '#ebe7e0',
} as const;

export function themeColours(theme: SchoolTheme, look: Look): ThemeColours {
  const exact = look === 'light' ? lightColours(theme) : darkColours(theme);
  return Object.fromEntries(
    Object.entries(exact).map(([name, color]) => [name, onScreen(color)]),
  ) as ThemeColours;
}

/** The colour of a persona's name with this hue. */
export function personaNameColour(hue: number, look: Look): Rgb {
  return onScreen(look === 'light' ? oklch(0.46, 0.12, hue) : oklch(0.82, 0.1, hue));
}

type ExactColours = Record<keyof ThemeColours, Color>;

function lightColours(theme: SchoolTheme): ExactColours {
  const given = (name: keyof typeof defaults) => fromHex(theme[name] ?? defaults[name]);
  const [background, surface, text] = [
    given('backgroundColor'),
    given('surfaceColor'),
    given('textColor'),
  ];
  const accent = relative(given('primaryColor'), (l, c) => [Math.min(l, 0.48), c]);
  return {
    background,
    surface,
    raised: fromHex('#ffffff'),
    text,
    muted: mix(text, 0.72, surface),
    'line-strong': mix(text, 0.52, background),
    accent,
    'accent-hover': relative(accent, (l, c) => [l - 0.05, c]),
    'accent-pressed': relative(accent, (l, c) => [l - 0.09, c]),
    'accent-text': fromHex('#ffffff'),
    'accent-soft': mix(accent, 0.11, surface),
    danger: oklch(0.5, 0.17, 27),
    'danger-text': fromHex('#ffffff'),
    'danger-soft': oklch(0.95, 0.025, 25),
    positive: oklch(0.46, 0.1, 155),
    'positive-soft': oklch(0.95, 0.03, 155),
  };
}

function darkColours(theme: SchoolTheme): ExactColours {
  const given = (name: keyof typeof defaults) => fromHex(theme[name] ?? defaults[name]);
  const [background, surface, text] = [
    given('backgroundColorDark'),
    given('surfaceColorDark'),
    given('textColorDark'),
  ];
  const dark = theme['primaryColorDark'];
  const primary = dark === undefined ? given('primaryColor') : fromHex(dark);
  const accent = relative(primary, (l, c) => [Math.max(l, 0.76), Math.min(c, 0.14)]);
  return {
    background,
    surface,
    raised: mix(text, 0.06, background),
    text,
    muted: mix(text, 0.66, background),
    'line-strong': mix(text, 0.52, background),
    accent,
    'accent-hover': relative(accent, (l, c) => [l + 0.05, c]),
    'accent-pressed': relative(accent, (l, c) => [l + 0.09, c]),
    'accent-text': relative(accent, () => [0.2, 0.03]),
    'accent-soft': mix(accent, 0.15, surface),
    danger: oklch(0.78, 0.12, 25),
    'danger-text': oklch(0.2, 0.03, 25),
    'danger-soft': oklch(0.29, 0.045, 25),
    positive: oklch(0.8, 0.12, 155),
    'positive-soft': oklch(0.29, 0.035, 155),
  };
}

const toOklch = converter('oklch');
const toRgb = converter('rgb');

/** @param hex `#rrggbb`, already validated */
function fromHex(hex: string): Rgb {
  return parseHex(hex) ?? { mode: 'rgb', r: 0, g: 0, b: 0 };
}

/** Rounds to 256 steps per channel and clips to sRGB, as browsers do. */
function onScreen(color: Color): Rgb {
  const { r, g, b } = clampRgb(toRgb(color));
  const step = (value: number) => Math.round(value * 255) / 255;
  return { mode: 'rgb', r: step(r), g: step(g), b: step(b) };
}

/** Blends a translucent colour over another one. */
export function paintOver(top: Rgb, share: number, below: Rgb): Rgb {
  return onScreen(interpolate([below, top], 'rgb')(share));
}

function oklch(l: number, c: number, h: number): Oklch {
  return { mode: 'oklch', l, c, h };
}

/** Changes lightness and chroma but keeps the hue, like CSS `oklch(from …)`. */
function relative(
  color: Color,
  change: (lightness: number, chroma: number) => [lightness: number, chroma: number],
): Oklch {
  const { l, c, h } = toOklch(color);
  const [lightness, chroma] = change(l, c);
  return oklch(Math.min(1, Math.max(0, lightness)), chroma, h ?? 0);
}

/** CSS `color-mix(in oklab, one share, other)`. */
function mix(one: Color, share: number, other: Color): Color {
  return interpolate([other, one], 'oklab')(share);
}
