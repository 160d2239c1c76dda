// The color pairs of a theme and the contrast that WCAG AA requires for each.
import { type Rgb, wcagContrast } from 'culori';
import type { SchoolTheme } from '#contract/entities.ts';
import {
  colorSchemes,
  paintOver,
  computePersonaNameColor,
  computeThemeColors,
  type ColorScheme,
} from './theme-colors.ts';

export interface Pair {
  /** A description such as 'the muted text on the surface'. */
  name: string;
  foreground: Rgb;
  background: Rgb;
  /** 4.5 for text; 3 for the edges of controls and for the focus ring. */
  minRatio: 4.5 | 3;
}

const minTextRatio = 4.5;
const minEdgeRatio = 3;

/** The share of the text color that is blended over hovered and pressed parts. */
const hover = 0.06;
const pressed = 0.11;
const selection = 0.28;
/** The share of white over the icon of the current screen. */
const currentScreen = 0.17;
const white: Rgb = { mode: 'rgb', r: 1, g: 1, b: 1 };
/** The hues of personas, and those in between. */
const hues = Array.from({ length: 24 }, (_, i) => i * 15);

/** Every pair that the app shows in this look. */
export function listContrastPairs(theme: SchoolTheme, colorScheme: ColorScheme): Pair[] {
  const colors = computeThemeColors(theme, colorScheme);
  const { background, surface, raised, text, muted, accent, danger } = colors;
  const soft = colors['accent-soft'];
  const grounds: [string, Rgb][] = [
    ['the background', background],
    ['the surface', surface],
    ['a raised part', raised],
  ];
  const pairs: Pair[] = [];
  const add = (minRatio: Pair['minRatio'], front: [string, Rgb], ground: [string, Rgb]) =>
    pairs.push({
      name: `${front[0]} on ${ground[0]}`,
      foreground: front[1],
      background: ground[1],
      minRatio,
    });

  for (const [name, color] of grounds) {
    const hovered: [string, Rgb] = [`${name} under the pointer`, paintOver(text, hover, color)];
    const pressedGround: [string, Rgb] = [`${name} pressed`, paintOver(text, pressed, color)];
    for (const ground of [[name, color], hovered, pressedGround] as [string, Rgb][]) {
      add(minTextRatio, ['the text', text], ground);
    }
    add(minTextRatio, ['the accent', accent], [name, color]);
    add(minTextRatio, ['the accent under the pointer', colors['accent-hover']], hovered);
    add(minTextRatio, ['the accent pressed', colors['accent-pressed']], pressedGround);
    for (const ground of [[name, color], hovered] as [string, Rgb][]) {
      add(minTextRatio, ['the muted text', muted], ground);
      add(minTextRatio, ['the danger color', danger], ground);
    }
    add(minEdgeRatio, ['the edge of a control', colors['line-strong']], [name, color]);
    add(minEdgeRatio, ['the focus ring', accent], [name, color]);
  }

  const chosenRow: [string, Rgb] = ['a chosen row', soft];
  add(minTextRatio, ['the text', text], chosenRow);
  add(minTextRatio, ['the muted text', muted], chosenRow);
  add(minEdgeRatio, ['the focus ring', accent], chosenRow);

  const card: [string, Rgb] = ['a soft card', colors.soft];
  add(minTextRatio, ['the text', text], card);
  add(minTextRatio, ['the muted text', muted], card);
  add(minTextRatio, ['the accent', accent], card);
  add(minTextRatio, ['a success message', colors.positive], card);
  const spine: [string, Rgb] = ['the icon bar', colors.spine];
  add(minTextRatio, ['an icon', colors['spine-text']], spine);
  add(
    minTextRatio,
    ['the current icon', white],
    ['its place in the icon bar', paintOver(white, currentScreen, colors.spine)],
  );
  add(minEdgeRatio, ['the focus ring', white], spine);
  add(minEdgeRatio, ['the dot of unread messages', colors['accent-dark']], spine);

  for (const step of ['accent', 'accent-hover', 'accent-pressed'] as const) {
    add(minTextRatio, ["a button's text", colors['accent-text']], [`the ${step}`, colors[step]]);
  }
  add(minTextRatio, ["a button's text", colors['danger-text']], ['the danger color', danger]);
  add(minTextRatio, ['an error', danger], ['its background', colors['danger-soft']]);
  add(
    minTextRatio,
    ['a success message', colors.positive],
    ['its background', colors['positive-soft']],
  );
  add(minTextRatio, ['the text', text], ['a selection', paintOver(accent, selection, background)]);

  const row = paintOver(text, 0.03, background);
  add(minTextRatio, ['a link', accent], ['a message under the pointer', row]);
  for (const hue of hues) {
    const name: [string, Rgb] = [
      `a persona's name (hue ${hue})`,
      computePersonaNameColor(hue, colorScheme),
    ];
    add(minTextRatio, name, ['the background', background]);
    add(minTextRatio, name, ['a message under the pointer', row]);
  }
  return pairs;
}

/** The first pair that fails, with its look; null if all pass. */
export function findFailingPair(
  theme: SchoolTheme,
): (Pair & { colorScheme: ColorScheme; ratio: number }) | null {
  for (const colorScheme of colorSchemes) {
    for (const pair of listContrastPairs(theme, colorScheme)) {
      const ratio = wcagContrast(pair.foreground, pair.background);
      if (ratio < pair.minRatio) return { ...pair, colorScheme: colorScheme, ratio };
    }
  }
  return null;
}
