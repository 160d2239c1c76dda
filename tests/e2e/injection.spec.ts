import type { Page } from '@playwright/test';
import { createClassWithTwoMembers, type TestClient } from '#tests/support/test-client.ts';
import { expect, test, type Windows } from './fixtures.ts';
import { corpus } from './injection-corpus.ts';
import { expectLoaded, createPhoto, findPictures, sendPicture } from './picture-files.ts';

interface Watched {
  page: Page;
  /** Scripts that ran, policy reports, and requests to other hosts. */
  harm: string[];
}

async function watch(page: Page, origin: string): Promise<Watched> {
  const harm: string[] = [];
  await page.exposeFunction('ran', (id: number) => void harm.push(`ran(${id})`));
  await page.exposeFunction('reported', (kind: string) => void harm.push(`reported ${kind}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      const { reported } = globalThis as unknown as { reported(what: string): void };
      reported(`${violatedDirective} ${blockedURI}`);
    });
  });
  page.on('dialog', (dialog) => {
    harm.push(`dialog ${dialog.type()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'blob:') harm.push(`asked ${url.href}`);
  });
  page.on('framenavigated', (frame) => {
    const { origin: frameOrigin } = new URL(frame.url());
    if (frameOrigin !== origin && frameOrigin !== 'null') harm.push(`went to ${frame.url()}`);
  });
  return { page, harm };
}

/** Expects that typed text created no element in the page that loads, leads or runs anything. */
async function expectHarmless({ page, harm }: Watched): Promise<void> {
  const oddParts = await page.evaluate(() => {
    const odd = [...document.querySelectorAll('*')].flatMap((element) => [
      ...(element.matches('iframe, object, embed, base, math [href], form[action], [formaction]')
        ? [element.outerHTML]
        : []),
      ...[...element.attributes]
        .filter(({ name }) => /^(on|srcdoc)/i.test(name))
        .map(({ name }) => `${element.tagName} ${name}`),
      ...(element instanceof HTMLScriptElement &&
      new URL(element.src, location.href).origin !== location.origin
        ? [element.outerHTML]
        : []),
      ...(element instanceof HTMLScriptElement && !element.src ? [element.outerHTML] : []),
    ]);
    const links = [...document.querySelectorAll('a')].filter(
      ({ href, protocol, rel, origin }) =>
        href &&
        (!/^https?:$/.test(protocol) || (origin !== location.origin && !rel.includes('noopener'))),
    );
    const polluted = 'polluted' in {};
    return [...odd, ...links.map(({ outerHTML }) => outerHTML), ...(polluted ? ['polluted'] : [])];
  });
  expect(oddParts).toEqual([]);
  expect(harm).toEqual([]);
}

async function openWatchedWindow(
  windows: Windows,
  student: TestClient,
  origin: string,
): Promise<Watched> {
  const page = await windows.openWindowAs(student);
  return watch(page, origin);
}

test('messages and edits never run as code, for their author or for others [HTTP-34, HTTP-33, MARKUP-15]', async ({
  windows,
  site,
}) => {
  const { ada, ben, classId } = await createClassWithTwoMembers(site);
  const adaWindow = await openWatchedWindow(windows, ada, site.origin);
  const benWindow = await openWatchedWindow(windows, ben, site.origin);
  await benWindow.page.goto(`/home/${classId}`);
  await adaWindow.page.goto(`/home/${classId}`);
  const composer = adaWindow.page.getByPlaceholder('Type a message...');
  for (const text of corpus) {
    await composer.fill(text);
    await composer.press('Enter');
  }
  for (const { page } of [benWindow, adaWindow]) {
    await expect(page.getByText('<!--<img src=').first()).toBeVisible();
  }
  await expectHarmless(adaWindow);
  await expectHarmless(benWindow);
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  expect(messages.map(({ text }) => text)).toEqual(corpus);

  // Each text once more, as an edit of the last message, and in the editor.
  const socket = await ada.connectTo(classId);
  const messageId = messages.at(-1)!.id;
  const editor = adaWindow.page.getByRole('textbox', { name: 'Edit your message' });
  await composer.press('ArrowUp');
  for (const [n, text] of corpus.entries()) {
    await editor.fill(text);
    await socket.request({ type: 'edit', classId, messageId, text: `${n}: ${text}` });
  }
  await editor.press('Escape');
  for (const { page } of [benWindow, adaWindow]) {
    await expect(page.getByText(`${corpus.length - 1}: `).first()).toBeVisible();
  }
  await expectHarmless(adaWindow);
  await expectHarmless(benWindow);
});

test('the fields of a class never run as code [HTTP-34, HTTP-33, CREATE-14]', async ({
  windows,
  site,
}) => {
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const codes = ['<svg onload=a()>', '"onclick="ran(1', 'javascript:a()//', '${a()}{{a()}}'];
  const names = corpus.filter((text) => text.length <= 120 && !text.includes('\t'));
  const classIds: string[] = [];
  for (const [n, courseName] of names.entries()) {
    const code = codes[n % codes.length]!;
    const labeled = n % 2 === 0 ? { subjectAbbreviation: code, courseNumber: code } : {};
    classIds.push(await ada.createClass({ courseName, sectionNumber: code, ...labeled }));
  }
  const adaWindow = await openWatchedWindow(windows, ada, site.origin);
  await adaWindow.page.goto('/home');
  await expect(adaWindow.page.getByRole('heading', { name: 'My Classes' })).toBeVisible();
  for (const classId of classIds.slice(0, 4)) {
    await adaWindow.page.goto(`/home/${classId}`);
    await expect(adaWindow.page.getByPlaceholder('Type a message...')).toBeVisible();
    await expectHarmless(adaWindow);
  }

  const theirs = await openWatchedWindow(windows, ben, site.origin);
  for (const classId of classIds.slice(0, 4)) {
    await theirs.page.goto(`/home/${classId}`);
    await expect(theirs.page.getByRole('dialog', { name: 'Join Class' })).toBeVisible();
    await expectHarmless(theirs);
  }
  await theirs.page.goto('/search');
  const box = theirs.page.getByPlaceholder('Search your data here');
  for (const text of [...corpus.slice(0, 8), 'ran']) {
    await box.fill(text.slice(0, 512));
    await box.press('Enter');
    await expect(
      theirs.page.getByRole('listitem').or(theirs.page.getByText('No class matches')).first(),
    ).toBeVisible();
    await expectHarmless(theirs);
  }
});

test('the URL of a page never runs as code or redirects elsewhere [HTTP-34, ROUTE-4]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  windows.expectConsoleError('status of 4');
  const signedIn = await openWatchedWindow(windows, student, site.origin);
  const signedOut = await watch(await windows.openWindow(), site.origin);
  const evil = corpus.map((text) => encodeURIComponent(text));
  for (const [n, part] of evil.entries()) {
    const pages = [
      [signedOut, `/reset-password#token=${part}`],
      [signedIn, `/home/${part}?q=${part}#${part}`],
      [signedOut, `/verify-email#token=${part}`],
      [signedIn, `/search?query=${part}#${part}`],
      [signedOut, `/signin?next=${part}&redirect=//evil.example#${part}`],
      [signedIn, `//evil.example/${part}`],
    ] as const;
    const [watched, path] = pages[n % pages.length]!;
    await watched.page.goto(`${site.origin}${path}`);
    await expect(watched.page.locator('#root > *').first()).toBeVisible();
    await expectHarmless(watched);
  }
});

test('the content security policy blocks and reports injected code [HTTP-33]', async ({
  windows,
  site,
}) => {
  const { page, harm } = await watch(await windows.openWindow(), site.origin);
  windows.expectConsoleError('Content Security Policy');
  windows.expectConsoleError('TrustedHTML');
  windows.expectConsoleError('Trusted');
  await page.goto('/signin');
  const rejectedCount = await page.evaluate(() => {
    const attempts = [
      () => document.createElement('img').setAttribute('onerror', 'ran(2)'),
      () => document.body.insertAdjacentHTML('beforeend', '<b>made of text</b>'),
    ];
    const inline = document.createElement('script');
    inline.append('ran(1)');
    document.body.append(inline);
    const style = document.createElement('style');
    style.append('* { color: red }');
    document.body.append(style);
    return attempts.filter((attempt) => {
      try {
        attempt();
        return false;
      } catch {
        return true;
      }
    }).length;
  });
  expect(rejectedCount).toBe(2);
  await expect.poll(() => harm.join()).toMatch(/style-src/);
  expect(harm.join()).not.toContain('ran(');
  expect(harm.join()).toContain('require-trusted-types-for');
});

test('persona names and picture descriptions never run as code [HTTP-34, HTTP-33, PERSONA-28, PIC-73]', async ({
  windows,
  site,
}) => {
  const student = await site.createStudent();
  const classId = await student.createClass();
  const lines = corpus.filter((text) => text.length <= 120 && !/[\t\n]/.test(text));
  const alts = lines.filter((text) => text.includes('<')).slice(0, 6);
  for (const alt of alts) await sendPicture(student, classId, await createPhoto(60, 40), { alt });
  const studentWindow = await openWatchedWindow(windows, student, site.origin);
  const { page } = studentWindow;
  await expectLoaded(findPictures(page).last());
  await findPictures(page).last().click();
  await expect(page.getByRole('dialog')).toContainText(alts.at(-1)!);
  await expectHarmless(studentWindow);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: /^You are / }).click();
  const dialog = page.getByRole('dialog', { name: /^Who you are in / });
  for (const name of lines) {
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    // A valid name is saved, and then the dialog closes.
    if (!(await dialog.isVisible())) await page.getByRole('button', { name: /^You are / }).click();
    await expectHarmless(studentWindow);
  }
});
