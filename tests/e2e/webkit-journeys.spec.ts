// The browser of Macs and iPhones, as WebKitGTK: five journeys that `npm run test:all` takes.
import { writeFileSync } from 'node:fs';
import { toRouteUrl } from '#contract/routes.ts';
import {
  createClassWithTwoMembers,
  password,
  type TestClient,
} from '#tests/support/test-client.ts';
import { test as base, expect } from './fixtures.ts';
import { createPhoto } from './picture-files.ts';
import { enter, WebKitWindow } from './webkit-window.ts';

interface WebKitWindows {
  open(): Promise<WebKitWindow>;
  /** Opens a signed-in window at the class. */
  openAs(student: TestClient, classId: string): Promise<WebKitWindow>;
  /** Allows console errors that contain this text. */
  expectConsoleError(text: string): void;
}

const test = base.extend<{ webkit: WebKitWindows }>({
  webkit: async ({ site }, provide, { title }) => {
    const windows: WebKitWindow[] = [];
    const expected: string[] = [];
    const open = async () => {
      const window = await WebKitWindow.open(site.origin);
      windows.push(window);
      return window;
    };
    await provide({
      open,
      async openAs(student, classId) {
        const window = await open();
        await window.goto('/signin');
        const status = await window.run<number>(
          `const [url, account] = arguments;
          const headers = { 'content-type': 'application/json' };
          return (await fetch(url, { method: 'POST', body: JSON.stringify(account), headers })).status;`,
          toRouteUrl('signIn', {}),
          { email: student.email, password: student.password },
        );
        expect(status).toBe(200);
        await window.goto(`/home/${classId}`);
        await window.find(composer);
        return window;
      },
      expectConsoleError: (text) => void expected.push(text),
    });
    const folder = process.env['BACKCHANNEL_SCREENSHOTS'];
    for (const [index, window] of windows.entries()) {
      if (folder) {
        const file = `${folder}/${title.replaceAll(/\W+/g, '-')}-${index}.png`;
        writeFileSync(file, await window.takeScreenshot(), 'base64');
      }
      await window.close();
    }
    const errors = windows.flatMap(({ consoleErrors }) => consoleErrors);
    expect(errors.filter((error) => !expected.some((text) => error.includes(text)))).toEqual([]);
  },
});

const composer = 'textarea[placeholder="Type a message..."]';
const findMessage = (text: string) =>
  `//*[@aria-label="Messages"]//article[contains(@aria-label, ": ${text}")]`;

test('WebKit: a student signs up and joins a class by its link', async ({ webkit, site }) => {
  const ada = await site.createStudent();
  const classId = await ada.createClass();
  const window = await webkit.open();

  await window.goto(`/home/${classId}`);
  await window.click('//a[.="Create an account"]');
  await window.type('input[type=email]', 'webkit.student@university.edu');
  await window.type('input[type=password]', password);
  await window.click('//button[.="Sign Up"]');
  await window.click('//dialog//button[.="Join"]');
  await window.find(composer);

  expect(await window.getPath()).toBe(`/home/${classId}`);
  await window.find('//nav[@aria-label="My Classes"]//a[contains(., "CS 146")]');
});

test('WebKit: a message that one member writes appears in the window of the other', async ({
  webkit,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const adaWindow = await webkit.openAs(ada, classId);
  const benWindow = await webkit.openAs(ben, classId);

  await adaWindow.type(composer, `Does **anyone** have the notes?${enter}`);
  await benWindow.find(`${findMessage('Does anyone have the notes?')}//strong[.="anyone"]`);
  await benWindow.type(composer, `Yes, I do${enter}`);

  await adaWindow.find(findMessage('Yes, I do'));
});

test('WebKit: a member replies to a message and reacts to it', async ({ webkit, site }) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ada.post(classId, 'When is the exam?');
  // The quote of a reply right below its message is not shown.
  await ada.post(classId, 'And where?');
  const adaWindow = await webkit.openAs(ada, classId);
  const benWindow = await webkit.openAs(ben, classId);

  await benWindow.hover(findMessage('When is the exam?'));
  await benWindow.click(`${findMessage('When is the exam?')}//button[@aria-label="Thumbs up"]`);
  await adaWindow.find(
    `${findMessage('When is the exam?')}//ul[@aria-label="Reactions"]//li[contains(., "Thumbs up: 1")]`,
  );
  await benWindow.hover(findMessage('When is the exam?'));
  await benWindow.click(`${findMessage('When is the exam?')}//button[@aria-label="Reply"]`);
  await benWindow.type(composer, `On Friday${enter}`);

  await adaWindow.find(`${findMessage('On Friday')}//button[contains(., "When is the exam?")]`);
});

test('WebKit: a member sends a picture, and the other member enlarges it', async ({
  webkit,
  site,
}, testInfo) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const adaWindow = await webkit.openAs(ada, classId);
  const benWindow = await webkit.openAs(ben, classId);
  const file = testInfo.outputPath('board.jpg');
  writeFileSync(file, (await createPhoto()).buffer);

  await adaWindow.type('input[type=file]', file);
  await adaWindow.find('//*[@role="group"]//img');
  await adaWindow.type(composer, `The board${enter}`);
  await benWindow.click(`${findMessage('The board')}//button[@aria-haspopup="dialog"]`);

  const isShown = () =>
    benWindow.run<boolean>(
      `const image = document.querySelector('dialog[open] img');
      return image !== null && image.complete && image.naturalWidth === 600;`,
    );
  await expect.poll(isShown).toBe(true);
});

test('WebKit: what a member writes while the server is away arrives later', async ({
  webkit,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  await ben.post(classId, 'See you tomorrow');
  const adaWindow = await webkit.openAs(ada, classId);
  const benWindow = await webkit.openAs(ben, classId);
  await adaWindow.find(findMessage('See you tomorrow'));
  for (const text of ['WebSocket', 'Failed to load resource', 'Fetch API cannot load']) {
    webkit.expectConsoleError(text);
  }

  await site.stop();
  await adaWindow.find('//p[starts-with(., "You are offline.")]');
  await adaWindow.type(composer, `I will be late${enter}`);
  await adaWindow.find(`${findMessage('I will be late')}//*[.="Waiting for a connection"]`);
  await site.start();

  await benWindow.find(findMessage('I will be late'));
});
