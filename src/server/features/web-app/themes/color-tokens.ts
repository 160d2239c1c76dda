// The colors of the app in CSS, by custom property, such as `--accent`.
import { readFileSync } from 'node:fs';

const stylesheet = readFileSync(
  new URL('../../../../contract/colors.css', import.meta.url),
  'utf8',
);

export const colorTokens: ReadonlyMap<string, string> = new Map(
  [...stylesheet.matchAll(/(--[\w-]+):([^;]+);/g)].map(([, name = '', css = '']) => [name, css]),
);
