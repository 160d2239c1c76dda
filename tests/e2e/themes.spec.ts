import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { formatHex, type Rgb } from 'culori';
import type { SchoolTheme } from '#contract/entities.ts';
import {
  colorSchemes,
  paintOver,
  computePersonaNameColor,
  computeThemeColors,
  tokenNames,
} from '#server/features/web-app/themes/theme-colors.ts';

import { checkLooks } from './axe.ts';
import { expect, test } from './fixtures.ts';

const themesDir = join(import.meta.dirname, '../../themes');
const loadTheme = (key: string) =>
  JSON.parse(readFileSync(join(themesDir, `${key}.json`), 'utf8')) as SchoolTheme;

const themes: Record<string, SchoolTheme> = {
  default: loadTheme('default'),
  riverside: loadTheme('riverside'),
  ashgrove: loadTheme('ashgrove'),
  'that says nothing': {},
  'with loud colors': { primaryColor: '#22ff44', primaryColorDark: '#0000ff' },
  'with a color for light alone': { primaryColor: '#ffee00', textColor: '#000000' },
};

/** The color that this screen paints for the CSS colors, layered in order. */
async function measureColor(page: Page, layers: readonly string[]): Promise<Rgb> {
  return page.evaluate((colors) => {
    const probe = document.body.appendChild(document.createElement('i'));
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    for (const color of colors) {
      probe.style.backgroundColor = color;
      context.fillStyle = getComputedStyle(probe).backgroundColor;
      context.fillRect(0, 0, 1, 1);
    }
    probe.remove();
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
    return { mode: 'rgb' as const, r: r / 255, g: g / 255, b: b / 255 };
  }, layers);
}

/** Whether the colors differ only by the rounding of a browser at each layer. */
function isAlike(color: Rgb, other: Rgb, layers: number): boolean {
  const channels = ['r', 'g', 'b'] as const;
  return channels.every(
    (channel) => Math.abs(color[channel] - other[channel]) < (layers + 0.5) / 255,
  );
}

test('themes are shown in the colors that the server checked [THEME-3, THEME-6]', async ({
  windows,
}) => {
  let theme: SchoolTheme = {};
  const page = await windows.openWindow();
  await page.route('**/api/school-themes/*', (route) => route.fulfill({ json: theme }));
  const differing: string[] = [];
  for (const [name, nextTheme] of Object.entries(themes)) {
    theme = nextTheme;
    await page.goto('/signin');
    await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
    for (const look of colorSchemes) {
      await page.emulateMedia({ colorScheme: look });
      const colors = computeThemeColors(theme, look);
      const compare = async (label: string, layers: readonly string[], judged: Rgb) => {
        const shownColor = await measureColor(page, layers);
        if (!isAlike(shownColor, judged, layers.length)) {
          differing.push(
            `${name}, ${look}, ${label}: ${formatHex(shownColor)} is not ${formatHex(judged)}`,
          );
        }
      };
      for (const token of tokenNames) await compare(token, [`var(--${token})`], colors[token]);
      for (const ground of ['background', 'surface', 'raised'] as const) {
        const groundColor = colors[ground];
        const hovered = paintOver(colors.text, 0.06, groundColor);
        const pressed = paintOver(colors.text, 0.11, groundColor);
        await compare(`${ground} hovered`, [`var(--${ground})`, 'var(--hover)'], hovered);
        await compare(`${ground} pressed`, [`var(--${ground})`, 'var(--pressed)'], pressed);
      }
      for (const hue of [15, 105, 195, 285]) {
        const css = `light-dark(oklch(0.46 0.12 ${hue}), oklch(0.82 0.1 ${hue}))`;
        await compare(`a persona's name at ${hue}`, [css], computePersonaNameColor(hue, look));
      }
    }
  }
  expect(differing).toEqual([]);
});

test('the school of the host name has its theme [THEME-1, THEME-6]', async ({ windows, site }) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  await student.post(classId, 'See https://university.edu');
  const baseURL = site.origin.replace('localhost', 'riverside.localhost');
  const page = await windows.openWindowAs(student, { baseURL });
  await expect(page.getByRole('img', { name: 'School logo' })).toHaveAttribute(
    'src',
    '/logos/riverside.svg',
  );
  const primary = await page.evaluate(() =>
    document.documentElement.style.getPropertyValue('--primary-color'),
  );
  expect(primary).toBe(loadTheme('riverside')['primaryColor']);
  await expect(page.getByText('See https://university.edu')).toBeVisible();
  await checkLooks(page, 'chat');
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(student.email)).toBeVisible();
  await checkLooks(page, 'profile');
});
