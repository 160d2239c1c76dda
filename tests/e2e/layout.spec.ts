import type { Locator, Page } from '@playwright/test';

import { createClassWithTwoMembers } from '#tests/support/test-client.ts';
import { expect, phone, signIn, smallPhone, test } from './fixtures.ts';
import { createOperator } from './moderation.ts';
import { findMessage, openClassAlone, openClassPanel, openMenu } from './room.ts';

test('one pane is visible below 768 px, and both from there on [LAYOUT-2, LAYOUT-3, LIST-1]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const page = await windows.openWindowAs(student, { viewport: { width: 767, height: 700 } });
  const room = page.getByRole('heading', { name: 'CS 146' });
  const list = page.getByRole('heading', { name: 'My Classes' });
  const menu = page.getByRole('button', { name: 'Class list' });
  const home = page.getByRole('link', { name: 'Home' });
  await expect(room).toBeVisible();
  await expect(list).toHaveCount(0);
  await expect(home).toHaveCount(0);
  await expect(menu).toHaveAttribute('aria-expanded', 'false');
  const bar = page.getByRole('navigation', { name: 'Main' });
  await expect(bar.getByRole('link')).toHaveCount(0);
  await menu.click();
  await expect(list).toBeVisible();
  await expect(bar.getByRole('link')).toHaveText(['Create', 'Search', 'Profile']);
  await expect(menu.getByText('Class list')).toHaveCSS('opacity', '0');
  await expect(room).toHaveCount(0);
  await expect(menu).toHaveAttribute('aria-expanded', 'true');
  await menu.click();
  await expect(room).toBeVisible();

  await menu.click();
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(home).toBeVisible();
  await expect(menu).toHaveCount(0);
  await home.click();
  await expect(room).toBeVisible();

  await page.setViewportSize({ width: 768, height: 700 });
  await expect(room).toBeVisible();
  await expect(list).toBeVisible();
  await expect(home).toBeVisible();
  await expect(menu).toHaveCount(0);
});

test('Back on a phone goes from the room to the list, and headings take the focus [LAYOUT-3, LAYOUT-13, LIST-1]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const page = await windows.openWindowAs(student, phone);
  await expect(page.getByText('You are not enrolled in any classes.')).toBeVisible();
  await expect(page.getByRole('searchbox')).toBeInViewport();
  const menu = page.getByRole('button', { name: 'Class list' });
  await expect(menu).toHaveAttribute('aria-expanded', 'true');
  const steps = await page.evaluate(() => history.length);
  await menu.tap();
  expect(await page.evaluate(() => history.length)).toBe(steps);
  await expect(page.getByText('You are not enrolled in any classes.')).toBeVisible();

  const cs = await student.createClass();
  const math = await student.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  await page.goto('/home');
  const expectHeading = (label: string) =>
    expect(page.getByRole('heading', { name: label })).toBeVisible();
  await expectHeading('CS 146');
  await page.getByRole('button', { name: 'Class list' }).click();
  await expectHeading('My Classes');
  await page.goBack();
  await expectHeading('CS 146');
  await page.getByRole('button', { name: 'Class list' }).click();
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await expectHeading('MATH 32');
  await expect(page).toHaveURL(`/home/${math}`);
  await page.goBack();
  await expectHeading('My Classes');
  await page.goBack();
  await expectHeading('CS 146');
  await expect(page).toHaveURL(`/home/${cs}`);
  await page.goForward();
  await expectHeading('My Classes');
  await page.goForward();
  await expectHeading('MATH 32');
  // This link opens the class that is already open, so the list closes.
  await page.getByRole('button', { name: 'Class list' }).click();
  await page.getByRole('link', { name: /^MATH 32/ }).click();
  await expectHeading('MATH 32');

  await page.getByRole('button', { name: 'Class list' }).tap();
  await page.getByRole('link', { name: 'Search' }).tap();
  await page.getByRole('link', { name: 'Home' }).tap();
  await expect(page.getByRole('heading', { name: 'CS 146' })).toBeFocused();
  await page.getByRole('button', { name: 'Class list' }).tap();
  await expect(page.getByRole('heading', { name: 'My Classes' })).toBeFocused();
});

test('the link of a class opens the class after sign-in, even if sign-in is reloaded [ROUTE-2, ROUTE-3]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const math = await student.createClass({ subjectAbbreviation: 'math', courseNumber: '32' });
  const page = await windows.openWindow(phone);
  await page.goto(`/home/${math}`);
  await expect(page).toHaveURL('/signin');
  await page.reload();
  await page.getByLabel(/^Email/).fill(student.email);
  await page.getByLabel('Password', { exact: true }).fill(student.password);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await expect(page.getByRole('heading', { name: 'MATH 32' })).toBeVisible();
  await expect(page).toHaveURL(`/home/${math}`);
});

/** The height in pixels of the touch target around the element's center. */
async function measureReach(target: Locator): Promise<number> {
  await target.scrollIntoViewIfNeeded();
  return target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const isInside = (y: number) =>
      element.contains(document.elementFromPoint(left + width / 2, y));
    let from = top + height / 2;
    let to = top + height / 2;
    while (isInside(from - 1)) from -= 1;
    while (isInside(to + 1)) to += 1;
    return to - from + 1;
  });
}

test('small elements have large targets on touch screens [LAYOUT-15]', async ({
  windows,
  site,
}) => {
  const page = await windows.openWindow(phone);
  for (const path of ['/signin', '/signup']) {
    await page.goto(path);
    await expect(page.getByRole('heading')).toBeVisible();
    for (const link of await page.getByRole('main').getByRole('link').all()) {
      expect(await measureReach(link), `${path} ${await link.innerText()}`).toBeGreaterThanOrEqual(
        40,
      );
    }
  }

  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const classId = await ada.createClass({ courseName: 'Fingertips' });
  await ben.join(classId);
  const hers = await ada.connect();
  const his = await ben.connect();
  await hers.post(classId, 'Above');
  const { id } = await hers.post(classId, 'To be liked');
  his.send({ type: 'react', rid: 1, classId, messageId: id, emoji: '👍' });
  await hers.post(classId, 'Below');
  await signIn(page, ben);
  const chip = findMessage(page, 'To be liked').getByRole('button', { name: 'Thumbs up: 1' });
  await expect(chip).toBeVisible();
  expect(await measureReach(chip)).toBeGreaterThanOrEqual(40);
  const name = findMessage(page, 'Above').getByRole('button', {
    name: /^[A-Z][a-z]+ [A-Z][a-z]+$/,
  });
  expect(await measureReach(name)).toBeGreaterThanOrEqual(40);
  await page.goto('/search?q=fingertips');
  expect(await measureReach(page.getByRole('link', { name: 'Open' }))).toBeGreaterThanOrEqual(40);
});

test('the skip link is outside the window until it has the focus, at any text size [LAYOUT-31]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  await student.createClass();
  const page = await windows.openWindowAs(student, { viewport: { width: 320, height: 640 } });
  const skip = page.getByRole('link', { name: 'Skip to content' });
  for (const size of ['100%', '200%', '400%']) {
    await page.evaluate((fontSize) => {
      document.documentElement.style.fontSize = fontSize;
    }, size);
    const { y, height } = (await skip.boundingBox())!;
    expect(y + height, size).toBeLessThanOrEqual(0);
  }
  await skip.focus();
  expect((await skip.boundingBox())!.y).toBeGreaterThanOrEqual(0);
});

test('fields have one ring, and radio buttons and checkboxes one look [LAYOUT-84]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.post(classId, 'To be reported');
  const getLook = (element: Locator) =>
    element.evaluate((input) => {
      const { width, height, borderTopColor, backgroundColor, appearance } =
        getComputedStyle(input);
      return { width, height, borderTopColor, backgroundColor, appearance };
    });
  const getRing = (element: Locator) =>
    element.evaluate((input) => {
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(input);
      return [outlineStyle, outlineWidth, outlineOffset].join(' ');
    });
  const ring = 'solid 2px -1px';
  const visitor = await windows.openWindow();
  await visitor.goto('/signin');
  await visitor.getByLabel(/^Email/).focus();
  expect(await getRing(visitor.getByLabel(/^Email/))).toBe(ring);
  const checkbox = await getLook(visitor.getByRole('checkbox'));
  expect(checkbox).toMatchObject({ width: '18px', height: '18px', appearance: 'none' });

  const page = await windows.openWindowAs(ben);
  await page.getByRole('button', { name: 'Add an emoji' }).click();
  const search = page.getByRole('dialog', { name: 'Emoji' }).getByRole('searchbox');
  await expect(search).toBeFocused();
  expect(await getRing(search)).toBe(ring);
  await page.keyboard.press('Escape');
  await openMenu(page, 'To be reported');
  await page.getByRole('menuitem', { name: 'Report' }).click();
  expect(await getLook(page.getByRole('radio').last())).toEqual(checkbox);
});

test('a message at sign-in or sign-up moves no part of the form [LAYOUT-29]', async ({
  windows,
}) => {
  const page = await windows.openWindow();
  for (const [path, button] of [
    ['/signin', 'Sign In'],
    ['/signup', 'Sign Up'],
  ] as const) {
    await page.goto(path);
    const parts = [
      page.getByAltText('School logo'),
      page.getByLabel(/^Email/),
      page.getByRole('button', { name: button }),
      page.getByRole('contentinfo').or(page.getByRole('link').last()).last(),
    ];
    const measurePlaces = () =>
      Promise.all(parts.map(async (part) => (await part.boundingBox())?.y));
    await expect(parts[0]!).toBeVisible();
    const placesBefore = await measurePlaces();
    await page.getByRole('button', { name: button }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Please enter' })).toBeVisible();
    expect(await measurePlaces()).toEqual(placesBefore);
  }
});

test('the page says that it is loading before its script runs, then shows the frame of the room [LAYOUT-34]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const page = await windows.openWindowAs(student);
  let run = () => {};
  const script = new Promise<void>((resolve) => (run = resolve));
  await page.route('**/assets/index-*.js', (route) => script.then(() => route.continue()));
  let answer = () => {};
  const classes = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/classes', (route) => classes.then(() => route.continue()));
  await page.goto(`/home/${classId}`, { waitUntil: 'commit' });
  await expect(page.getByText('Loading...', { exact: true })).toBeVisible();
  run();
  await expect(
    page.getByRole('main').getByRole('status', { name: 'Loading messages' }),
  ).toBeVisible();
  answer();
  await expect(page.getByPlaceholder('Type a message...')).toBeVisible();
});

test('the icon bar leaves the screen while the keyboard of a phone is open [LAYOUT-63]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site, phone);
  await page.goto('/search');
  const bar = page.getByRole('navigation', { name: 'Main' });
  const field = page.getByRole('searchbox');
  const measureStart = async () => (await field.boundingBox())!.x;
  await field.tap();
  await expect(bar).toBeVisible();
  const startBefore = await measureStart();

  // The keyboard opens.
  await page.setViewportSize({ width: 390, height: 480 });
  await expect(bar).toBeHidden();
  expect(startBefore - (await measureStart())).toBe(52);
  // The member closes the keyboard, and the focus stays.
  await page.setViewportSize(phone.viewport);
  await expect(bar).toBeVisible();

  await page.setViewportSize({ width: 390, height: 480 });
  await expect(bar).toBeHidden();
  await field.blur();
  await expect(bar).toBeVisible();
});

/** What is to read or press at these points of the window. */
function listContentAt(page: Page, points: { x: number; y: number }[]): Promise<string[]> {
  return page.evaluate((unsafePoints) => {
    const content = 'a, button, input, textarea, h1, h2, p, label, img, article';
    const elements = unsafePoints.flatMap(
      ({ x, y }) => document.elementFromPoint(x, y)?.closest<HTMLElement>(content) ?? [],
    );
    return [...new Set(elements)].map(({ tagName, ariaLabel, textContent }) =>
      `${tagName} ${ariaLabel ?? textContent}`.slice(0, 60),
    );
  }, points);
}

for (const [name, { width, height }, insets, dir] of [
  ['upright', { width: 390, height: 844 }, { top: 47, bottom: 34, left: 0, right: 0 }, 'ltr'],
  ['on its side', { width: 844, height: 390 }, { top: 0, bottom: 21, left: 47, right: 47 }, 'ltr'],
  ['in Arabic', { width: 844, height: 390 }, { top: 0, bottom: 21, left: 0, right: 47 }, 'rtl'],
] as const) {
  test(`nothing to read or press is under the notch of a phone that is ${name} [LAYOUT-64]`, async ({
    windows,
    site,
  }) => {
    const { student, classId, page } = await openClassAlone(windows, site, {
      ...phone,
      viewport: { width, height },
    });
    for (let n = 0; n < 30; n++) await student.post(classId, `Message ${n} `.repeat(20));
    const emulation = await page.context().newCDPSession(page);
    await emulation.send('Emulation.setSafeAreaInsetsOverride', { insets });
    const listSteps = (from: number, to: number) =>
      Array.from({ length: Math.ceil((to - from) / 6) }, (_, n) => from + 6 * n);
    const columns = [...listSteps(0, insets.left), ...listSteps(width - insets.right, width)];
    const unsafePoints = [
      ...listSteps(0, insets.top).flatMap((y) => listSteps(0, width).map((x) => ({ x, y }))),
      ...columns.flatMap((x) => listSteps(0, height).map((y) => ({ x, y }))),
    ];
    const problems: Record<string, string[]> = {};
    const check = async (screen: string) => {
      await page.evaluate((direction) => void (document.dir = direction), dir);
      const content = await listContentAt(page, unsafePoints);
      if (content.length > 0) problems[screen] = content;
    };

    await expect(findMessage(page, 'Message 29')).toBeVisible();
    await check('room');
    await page.getByRole('button', { name: 'Search messages' }).tap();
    await expect(page.getByRole('searchbox')).toBeVisible();
    await check('message search');
    for (const path of ['/create', '/search', '/profile', '/privacy']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await check(path);
    }

    expect(problems).toEqual({});
  });
}

test('tabs stay in one line on a phone, with the current one in view [LAYOUT-120]', async ({
  windows,
  site,
}) => {
  const { page } = await openClassAlone(windows, site, smallPhone);
  const operatorPage = await windows.openWindowAs(await createOperator(site), smallPhone);
  const panel = await openClassPanel(page, 'Pictures and files');
  await operatorPage.goto('/admin/settings');
  const panelTabs = panel.getByRole('navigation').getByRole('button');
  const screenTabs = operatorPage
    .getByRole('navigation', { name: 'Administration' })
    .getByRole('link');

  await expect(panelTabs.filter({ hasText: 'Pictures' })).toBeInViewport({ ratio: 1 });
  await expect(screenTabs.filter({ hasText: 'Settings' })).toBeInViewport({ ratio: 1 });
  const expectOneLine = async (tabs: Locator) => {
    const tops = await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  };
  for (const tabs of [panelTabs, screenTabs]) await expectOneLine(tabs);
  await page.goBack();
  await page.getByRole('button', { name: 'Questions' }).click();
  const questions = page.getByRole('region', { name: 'Questions in CS 146' });
  const questionTabs = questions.getByRole('navigation').getByRole('button');
  await questionTabs.last().click();
  await expect(questionTabs.last()).toHaveAttribute('aria-current', 'page');
  await expect(questionTabs.last()).toBeInViewport({ ratio: 1 });
  await expectOneLine(questionTabs);
});
