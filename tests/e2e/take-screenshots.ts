// `npm run screenshots` fills `screenshots/` with a picture of each screen at two widths, light and dark, and with a
// page that shows all of them (index.html). `npm run screenshots -- profile` takes only screens with this word.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { projectRoot } from '../../scripts/run-tool.ts';
import { findBrowser } from '../../scripts/system-commands.ts';
import { createSite } from './fixtures.ts';
import { createScreens, openScreen, waitUntilStill, type Screen } from './screens.ts';

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const colorSchemes = ['light', 'dark'] as const;
const folder = join(projectRoot, 'screenshots');

interface Picture {
  file: string;
  width: number;
  height: number;
}

const word = (process.argv[2] ?? '').toLowerCase();
const executablePath = findBrowser();
if (!executablePath) {
  console.error('No Chromium was found: install one, or name it in BACKCHANNEL_BROWSER.');
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const site = await createSite();
const browser = await chromium.launch({ executablePath });
const sections: string[] = [];
for (const screen of await createScreens(site)) {
  if (!screen.name.toLowerCase().includes(word)) continue;
  sections.push(describe(screen, await takePictures(browser, site.origin, screen)));
  console.log(`  ${screen.name}`);
}
await browser.close();
await site.end();
const page = join(folder, 'index.html');
writeFileSync(page, createPage(sections));
console.log(`Open ${page}`);

async function takePictures(
  openBrowser: Browser,
  origin: string,
  screen: Screen,
): Promise<Picture[]> {
  const context = await openBrowser.newContext({ baseURL: origin, viewport: sizes[0]! });
  const window = await context.newPage();
  await openScreen(window, screen);
  const pictures: Picture[] = [];
  for (const size of sizes) {
    await window.setViewportSize(size);
    for (const colorScheme of colorSchemes) {
      await window.emulateMedia({ colorScheme });
      pictures.push(
        await takePicture(window, `${screen.name} ${size.width} ${colorScheme}.png`, size),
      );
    }
  }
  await context.close();
  return pictures;
}

async function takePicture(
  window: Page,
  file: string,
  size: { width: number; height: number },
): Promise<Picture> {
  await waitUntilStill(window);
  await window.screenshot({ path: join(folder, file) });
  return { file, ...size };
}

function describe({ name, path }: Screen, pictures: readonly Picture[]): string {
  const images = pictures.map(
    ({ file, width, height }) =>
      `<a href="${encodeURIComponent(file)}"><img src="${encodeURIComponent(file)}" alt="${file}" width="${width / 3}" height="${height / 3}" loading="lazy"></a>`,
  );
  return `<h2>${name} <small>${path.replace(/\/home\/.*/, '/home/…')}</small></h2>\n${images.join('\n')}`;
}

function createPage(allSections: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Screens of Backchannel</title>
<style>body { font: 15px system-ui; margin: 2rem } img { vertical-align: top; border: 1px solid #8888 }</style>
<h1>Screens of Backchannel</h1>
${allSections.join('\n')}
</html>
`;
}
