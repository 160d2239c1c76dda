import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { wcagContrast } from 'culori';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { checkSchoolTheme } from './school-theme.ts';
import { colorSchemes } from './theme-colors.ts';
import { listContrastPairs, findFailingPair } from './theme-contrast.ts';

const dir = join(import.meta.dirname, '../../../../../themes');
const shipped = readdirSync(dir).map(
  (file) => [basename(file, '.json'), JSON.parse(readFileSync(join(dir, file), 'utf8'))] as const,
);

const schools: readonly (readonly [string, object])[] = [
  ...shipped,
  ['a school of yellow and black', { primaryColor: '#ffd200', textColor: '#000000' }],
];

describe('the shipped themes', () => {
  test('the shipped themes are three, one of them the default [THEME-6]', () => {
    expect(shipped.map(([key]) => key)).toEqual(['ashgrove', 'default', 'riverside']);
  });

  test.each(
    schools.flatMap(([key, values]) =>
      colorSchemes.map((colorScheme) => [key, colorScheme, values] as const),
    ),
  )('%s passes AA in each pair of its %s look [THEME-6]', (key, colorScheme, values) => {
    const theme = checkSchoolTheme(key, values);
    const pairs = listContrastPairs(theme, colorScheme);
    expect(pairs.length).toBeGreaterThan(80);
    const low = pairs.filter(
      ({ foreground, background, minRatio }) => wcagContrast(foreground, background) < minRatio,
    );
    expect(low.map(({ name }) => name)).toEqual([]);
  });
});

describe('a theme', () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((n) => {
    return `#${n.toString(16).padStart(6, '0')}`;
  });

  test('a theme can be read whatever color a school brings [THEME-6]', () => {
    fc.assert(
      fc.property(color, color, (primaryColor, primaryColorDark) => {
        expect(findFailingPair({ primaryColor, primaryColorDark })).toBeNull();
        expect(findFailingPair({ primaryColor })).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test('a theme has no value that could end a declaration of CSS, or name another host in a header [THEME-6]', () => {
    const cssText = fc.oneof(
      anyText,
      fc.constantFrom(
        'Inter, "Noto Sans"',
        '4px',
        '1.5rem',
        'https://cdn.example/logo.svg',
        '#fff',
      ),
    );
    const attack = fc.constantFrom('', ';', '}', 'url(x)', '\\', '/*', '\n', ' *', '@');
    const key = fc.constantFrom(
      'fontFamily',
      'headingFontFamily',
      'radius',
      'primaryColor',
      'logoUrl',
    );
    fc.assert(
      fc.property(key, cssText, attack, (name, text, extra) => {
        const accepted = findAcceptedValue(name, text + extra);
        if (accepted === null) return;
        if (name !== 'logoUrl') expect(accepted).not.toMatch(/[;{}()\\/*@]/);
        else if (!accepted.startsWith('/')) {
          expect(new URL(accepted).origin).toMatch(/^https:\/\/[a-z0-9.:-]+$/);
        }
      }),
    );
  });

  test.each([
    [
      { textColor: '#c0c0c0' },
      'x.json is hard to read: the text on the background has a contrast of 1.77 in the light color scheme (#c0c0c0 on #fdfcfa). The minimum is 4.5.',
    ],
    [{ backgroundColorDark: '#777777' }, 'in the dark color scheme'],
    [{ surfaceColor: '#9a9a9a' }, 'the surface'],
    [{ textColor: '#fff' }, 'x.json has an invalid textColor: "#fff".'],
    [{ radius: '100vw' }, 'x.json has an invalid radius: "100vw".'],
    [{ fontFamily: 'x; } body { color: red' }, 'an invalid fontFamily'],
    [{ headingFontFamily: 'url(x)' }, 'an invalid headingFontFamily'],
    [{ logoUrl: 'http://insecure.example/logo.svg' }, 'an invalid logoUrl'],
    [{ logoUrl: '//elsewhere.example/logo.svg' }, 'an invalid logoUrl'],
    [{ behavior: 'x' }, 'x.json has an unknown key: behavior.'],
    [['#ffffff'], 'x.json must be a flat map of strings.'],
  ])('a theme of %j is rejected by name [THEME-4, THEME-6]', (values, reason) => {
    expect(() => checkSchoolTheme('x.json', values)).toThrow(reason);
  });
});

/** The value as the theme has it, or null if the theme is rejected. */
function findAcceptedValue(name: string, value: string): string | null {
  try {
    return checkSchoolTheme('x.json', { [name]: value })[name] ?? null;
  } catch {
    return null;
  }
}
