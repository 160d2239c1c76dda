import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from '@playwright/test';
import { ColorSpace, Document, Matrix } from 'mupdf';
import sharp from 'sharp';
import { findViolations } from './axe.ts';
import { expect, type Site, test, type Windows } from './fixtures.ts';
import {
  openClassAlone,
  meet,
  findMessage,
  openMenu,
  findRoom,
  findMessageText,
  say,
} from './room.ts';
import { createPhoto, sendPicture } from './picture-files.ts';

const code =
  'def area(radius):\n    return 3.14 * radius ** 2  # a long line that is wider than a phone';

/** A message of each kind of markup. */
const texts = [
  '**bold** *italic* ~~struck~~ `inline`',
  '# Title\n- first\n- second\n  - nested\n\n3. third',
  '> quoted\nanswered',
  '```python\n' + code + '\n```',
  '| Name | Points |\n|---|--:|\n| AVL tree | 10 |',
  'Euler: $e^{i\\pi} + 1 = 0$, it costs $5 and $6\n$$\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$$',
];

/** Posts the messages, one after the other, and waits for the last one. */
async function sayAll(page: Page, all: readonly string[]): Promise<void> {
  for (const text of all) await say(page, text);
  await expect(findRoom(page).getByRole('article')).toHaveCount(all.length);
}

test('a message shows its markup, also on a narrow screen [MARKUP-1, MARKUP-7, MARKUP-8, MARKUP-10]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  await page.setViewportSize({ width: 320, height: 2400 });
  await sayAll(page, texts);
  const list = findRoom(page);
  await expect(list.getByRole('strong').first()).toHaveText('bold');
  await expect(list.getByRole('emphasis')).toHaveText('italic');
  await expect(list.getByRole('deletion')).toHaveText('struck');
  await expect(list.getByRole('code').first()).toHaveText('inline');
  await expect(list.getByRole('blockquote')).toHaveText('quoted');
  await expect(list.getByRole('listitem').filter({ hasText: /^nested$/ })).toHaveCount(1);
  await expect(list.locator('ol > li[value="3"]')).toHaveText('third');
  await expect(list.getByRole('cell', { name: '10' })).toHaveCSS('text-align', 'end');
  await expect(list.getByRole('math')).toHaveCount(2);
  await expect(list.getByText('it costs $5 and $6')).toBeVisible();
  const block = list.getByRole('group', { name: 'Code, python' });
  await expect(block).toHaveText(code);
  await expect(block.locator('[data-token="keyword"]').first()).toHaveText('def');
  const sideways = await block.evaluate((pre) => pre.scrollWidth > pre.clientWidth);
  expect(sideways).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  // The areas of a message are tab stops only while it has the focus, because the list is one tab stop.
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const problems = await findViolations(page);
    expect(problems.filter((line) => !line.startsWith('scrollable-region-focusable'))).toEqual([]);
  }
});

test('the first formula loads a font whose brackets and arrows are as large as their content [MARKUP-10]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site);
  const fonts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'font') fonts.push(request.url());
  });
  await say(page, '**no** formula');
  await expect(findRoom(page).getByRole('strong')).toBeVisible();
  expect(fonts).toEqual([]);
  let countBeforeFont = -1;
  await page.route(/\.woff2$/, async (route) => {
    await sleep(500);
    countBeforeFont = await findRoom(page).getByRole('math').count();
    await route.continue();
  });
  await say(page, '$$\\left( \\frac{\\frac{a}{b}}{\\frac{c}{d}} \\right)$$');

  const measureHeight = async (selector: string) =>
    (await findRoom(page).locator(selector).first().boundingBox())?.height ?? 0;
  await expect
    .poll(async () => (await measureHeight('math mo')) / (await measureHeight('math mfrac')))
    .toBeGreaterThan(0.85);
  expect(fonts).toHaveLength(1);
  expect(countBeforeFont).toBe(0);

  await say(page, '$$\\overrightarrow{ABCDEF}$$');
  const vector = findRoom(page).locator('math mover');
  await expect(vector).toBeVisible();
  expect(await measureArrow(page, vector)).toBeGreaterThan(0.8);
});

/** The part of the width of a vector that its arrow covers. The boxes of elements do not show how an arrow is drawn. */
async function measureArrow(page: Page, vector: Locator): Promise<number> {
  const box = await vector.boundingBox();
  if (!box) throw new Error('The vector is not visible.');
  const png = await page.screenshot({ clip: { ...box, height: box.height / 4 } });
  const { data, info } = await sharp(png).greyscale().raw().toBuffer({ resolveWithObject: true });
  const dark = [...data.keys()].filter((n) => data[n]! < 128).map((n) => n % info.width);
  return (Math.max(...dark) - Math.min(...dark)) / info.width;
}

test('an edit, a copy and a quote use the right form of the text [MARKUP-1, MARKUP-12, MARKUP-13]', async ({
  windows,
  site,
}) => {
  const { adaPage, benPage } = await meet(windows, site);
  await adaPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const getClipboardText = () => adaPage.evaluate(() => navigator.clipboard.readText());
  await say(adaPage, '**Trees** are [here](https://a.example): $x^2$');
  await expect(benPage.getByRole('log')).toHaveText(
    /^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous: Trees are here: x\^2\s*$/,
  );
  await expect(findMessage(adaPage, 'are here')).toHaveAccessibleName(/: Trees are here: x\^2$/);

  await openMenu(adaPage, 'are here');
  await adaPage.getByRole('menuitem', { name: 'Copy text' }).click();
  expect(await getClipboardText()).toBe('**Trees** are [here](https://a.example): $x^2$');
  await expect(findRoom(adaPage).getByRole('math')).toBeVisible();
  await findRoom(adaPage).getByRole('paragraph').last().selectText();
  await adaPage.keyboard.press('Control+c');
  expect((await getClipboardText()).replace(/\s+/g, ' ')).toBe('Trees are here: $x^2$');

  await say(benPage, 'In between');
  await openMenu(benPage, 'are here');
  await benPage.getByRole('menuitem', { name: 'Reply' }).click();
  await expect(benPage.getByRole('group', { name: 'Your reply' })).toContainText('Trees are here');
  await say(benPage, 'Thanks');
  await expect(
    findRoom(adaPage).getByRole('button', { name: 'Trees are here: x^2' }),
  ).toBeVisible();

  await adaPage.getByPlaceholder('Type a message...').press('ArrowUp');
  const editor = adaPage.getByRole('textbox', { name: 'Edit your message' });
  await expect(editor).toHaveValue('**Trees** are [here](https://a.example): $x^2$');
});

test('a selection is copied with authors and marks, also beyond the window [MARKUP-13]', async ({
  windows,
  site,
}) => {
  const { page } = await openLongRoom(windows, site);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const copy = async () => {
    await page.keyboard.press('Control+c');
    return page.evaluate(() => navigator.clipboard.readText());
  };

  await findRoom(page).focus();
  await page.keyboard.press('Control+a');
  const everything = await copy();
  await findRoom(page).getByText('seventh').click({ clickCount: 3 });
  const line = await copy();

  expect(everything).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+, Anonymous, \S+\s[AP]M\nMessage 0 /);
  expect(everything.match(/Message/g)).toHaveLength(longRoomLength);
  expect(everything).toMatch(/M\n3\. third\n7\. seventh\n> quoted\n\$\$x\^2\$\$\nif x:\n {4}y+$/);
  expect(line.trim()).toBe('7. seventh');
});

test('a room and the results of a search are printed whole, in ink on white [LAYOUT-122, MARKUP-24]', async ({
  windows,
  site,
}) => {
  const { page } = await openLongRoom(windows, site);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.evaluate(() => {
    document.documentElement.dataset['theme'] = 'dark';
    document.documentElement.style.setProperty('--background-color', '#fee');
  });

  const room = await print(page);
  await page.getByRole('button', { name: 'Search messages' }).click();
  await page.getByRole('searchbox').fill('word');
  await expect(page.getByRole('list', { name: 'Messages found' })).toBeVisible();
  const results = await print(page);
  await page.goto('/privacy');
  await expect(page.getByRole('heading', { name: 'Moderation in numbers' })).toBeVisible();
  const privacy = await print(page);

  expect(room.text.match(/Message \d/g)).toHaveLength(longRoomLength);
  expect(room.text.match(/y/g)?.length).toBeGreaterThan(longCode.length);
  expect(room.text).not.toContain('$$');
  expect(room.text).not.toContain('Type a message');
  expect(results.text.match(/Message \d/g)).toHaveLength(20);
  expect(privacy.text).toContain('What can still give you away');
  for (const { pages, paper } of [room, results, privacy]) {
    expect(pages).toBeGreaterThan(1);
    expect(paper).toEqual([255, 255, 255]);
  }
});

test('a room is printed with pictures that were far from the window, and wide formulas [LAYOUT-122]', async ({
  windows,
  site,
}) => {
  const { page } = await openLongRoom(windows, site, { hasPicture: true });
  await say(page, `$$${'x + '.repeat(90)}z$$`);
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  await page.route('**/*.webp', async (route) => {
    await gate;
    await route.continue().catch(() => undefined);
  });
  await page.reload();
  await expect(findRoom(page).getByRole('math')).toHaveCount(2);

  const room = await print(page);
  await page.evaluate(() => {
    window.print = () => {
      const pictures = [...document.querySelectorAll<HTMLImageElement>('article img[src]')];
      const widths = String(pictures.map(({ naturalWidth }) => naturalWidth));
      document.body.dataset['printed'] = `${document.body.dataset['printed'] ?? ''}${widths}`;
    };
  });
  // A key that is held down repeats.
  await page.keyboard.press('Control+p');
  await page.keyboard.press('Control+p');
  letGo();

  expect(room.text).toContain('a graph (not loaded)');
  // The text of a page ends at its edge.
  expect(room.text).toContain('𝑧');
  await expect(page.locator('body')).toHaveAttribute('data-printed', '600');

  await page.getByRole('button', { name: 'a graph' }).click();
  await expect(page.getByRole('dialog', { name: 'Picture' })).toBeVisible();
  expect((await print(page)).pages).toBe(1);
});

const longRoomLength = 40;
const longCode = 'y'.repeat(300);

/** A room with more messages than fit into the window. The last one has lists, a quote, a formula and code. */
async function openLongRoom(windows: Windows, site: Site, { hasPicture = false } = {}) {
  const room = await openClassAlone(windows, site);
  const socket = await room.student.connectTo(room.classId);
  for (let n = 0; n < longRoomLength; n++) {
    // Far from the window, but in the first page of history.
    if (hasPicture && n === 15) {
      await sendPicture(room.student, room.classId, await createPhoto(), { alt: 'a graph' });
    }
    await socket.post(room.classId, `Message ${n} ${'word '.repeat(60)}`);
  }
  const last = `3. third\n7. seventh\n> quoted\n$$x^2$$\n\`\`\`\nif x:\n    ${longCode}\n\`\`\``;
  await socket.post(room.classId, last);
  await expect(findRoom(room.page).getByRole('math')).toBeVisible();
  return room;
}

/** The printed pages, their text, and the color of the paper, with the backgrounds that browsers leave out by default. */
async function print(page: Page) {
  const pdf = await page.pdf({ format: 'A4', printBackground: true });
  const document = Document.openDocument(pdf, 'application/pdf');
  const pages = Array.from({ length: document.countPages() }, (_, n) => document.loadPage(n));
  const pixels = pages[0]!.toPixmap(Matrix.identity, ColorSpace.DeviceRGB, false).getPixels();
  return {
    pages: pages.length,
    text: pages.map((sheet) => sheet.toStructuredText('').asText()).join(),
    paper: [...pixels.slice(0, 3)],
  };
}

test('a member copies code with the keyboard [MARKUP-7]', async ({ windows, site }) => {
  const { page } = await openClassAlone(windows, site);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await say(page, '```\nint main\n```');
  await expect(findRoom(page).getByRole('group', { name: 'Code' })).toHaveText('int main');
  await findMessage(page, 'int main').focus();
  const copy = findRoom(page).getByRole('button', { name: 'Copy code' });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(copy).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('int main');

  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
  });
  await copy.press('Enter');
  await expect(page.getByRole('alertdialog')).toContainText('int main');
});

test('a room shows messages as typed until the parser has loaded [MARKUP-8, MARKUP-10, MARKUP-14]', async ({
  windows,
  site,
}) => {
  const { student, classId, page } = await openClassAlone(windows, site);
  const socket = await student.connect();
  await socket.post(classId, '**bold** $x^2$');
  await socket.post(classId, '```python\ndef f\n```');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/assets/parse-message-*.js', (route) =>
    released.then(() => route.continue()),
  );
  await page.reload({ waitUntil: 'commit' });
  const waiting = page.getByRole('main').getByRole('status', { name: 'Loading messages' });
  await expect(waiting).toBeVisible();
  // The composer is there, so the room has loaded and only the parser is missing.
  await expect(page.getByPlaceholder('Type a message...')).toBeVisible();
  await expect(waiting).toBeVisible();
  await expect(findMessageText(page, '**bold** $x^2$')).toBeVisible();
  release();
  await expect(findRoom(page).getByRole('strong')).toHaveText('bold');
  await page.unrouteAll();

  // Without the colors and the formulas, and then without the parser.
  windows.expectConsoleError('ERR_FAILED');

  await page.route(/\/assets\/(?:rendered-formula|highlight)-[^/]*\.js$/, (route) => route.abort());
  await page.reload();
  await expect(findRoom(page).getByRole('strong')).toHaveText('bold');
  await expect(findRoom(page).getByRole('code').first()).toHaveText('$x^2$');
  await expect(findRoom(page).getByRole('group', { name: 'Code, python' })).toHaveText('def f');

  await page.route(/\/assets\/parse-message-[^/]*\.js$/, (route) => route.abort());
  await page.reload();
  await expect(findMessageText(page, '**bold** $x^2$')).toBeVisible();
});
