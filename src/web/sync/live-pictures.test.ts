import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import type { FakeBrowser, FakeTab } from './testing/fake-browser.ts';
import type { FakeServer } from './testing/fake-server.ts';
import { carry, openTabIn, startBrowser, stopBrowser, wait } from './testing/one-browser.ts';

let server: FakeServer;
let browser: FakeBrowser;
beforeEach(() => {
  ({ server, browser } = startBrowser());
});
afterEach(() => stopBrowser(browser));

const openTab = () => openTabIn(browser);
const room = (tab: FakeTab) => tab.live.room('class');
const staged = (tab: FakeTab) => room(tab).staging.getSnapshot();
const shown = (tab: FakeTab) => room(tab).getSnapshot().messages;
const board = () => new Blob(['board'], { type: 'image/png' });
const inLog = () => server.messagesOf('class').map(({ text, image }) => [text, image?.alt ?? null]);
const kept = () => [...server.images].map(([id, { sent }]) => [id, sent]);

async function stage(tab: FakeTab, file = board()): Promise<void> {
  await room(tab).staging.stage(file);
}

describe('a staged picture', () => {
  test('is uploaded when it is chosen, and sending need not wait for it [PIC-31]', async () => {
    const tab = await openTab();
    await stage(tab);
    expect(staged(tab).picture).toMatchObject({ size: { width: 4, height: 3 }, imageId: null });
    await wait(0);
    expect(staged(tab).picture).toMatchObject({ imageId: 'image 1', progress: null });
    room(tab).staging.describe(' A \u202eboard\u0007 ');
    room(tab).post('look');
    expect(staged(tab)).toEqual({ picture: null, reading: false, problem: null });
    await carry(tab);
    expect(inLog()).toEqual([['look', 'A board']]);
    expect(server.images.size).toBe(1);
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('may be sent before it is uploaded: shown at once, and what is behind waits [PIC-31, SEND-2, SEND-7]', async () => {
    server.uploadMs = 5000;
    const tab = await openTab();
    await stage(tab);
    room(tab).post('');
    room(tab).post('behind');
    await carry(tab);
    expect(shown(tab)).toMatchObject([
      { text: '', delivery: 'sending', progress: 0.5, unsentPicture: { imageId: null } },
      { text: 'behind', delivery: 'sending', progress: null, unsentPicture: null },
    ]);
    expect(inLog()).toEqual([]);
    await wait(5000);
    await carry(tab);
    expect(inLog()).toEqual([
      ['', ''],
      ['behind', null],
    ]);
    expect(server.images.size).toBe(1);
  });

  test('is taken from the server when it is taken out of the composer [PIC-31]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    expect(kept()).toEqual([['image 1', false]]);
    room(tab).staging.unstage();
    expect([staged(tab).picture, kept()]).toEqual([null, []]);

    server.uploadMs = 1000;
    await stage(tab);
    room(tab).staging.unstage();
    await wait(2000);
    expect([staged(tab).picture, kept()]).toEqual([null, []]);
    room(tab).post('alone');
    await carry(tab);
    expect(inLog()).toEqual([['alone', null]]);
  });

  test('is waited for while its file is read, and the last one chosen counts [PIC-31]', async () => {
    const tab = await openTab();
    const first = room(tab).staging.stage(new Blob(['first']));
    expect(staged(tab)).toMatchObject({ picture: null, reading: true });
    await Promise.all([first, room(tab).staging.stage(new Blob(['second']))]);
    expect(staged(tab).reading).toBe(false);
    await wait(0);
    expect(await [...server.images.values()][0]?.bytes.text()).toBe('second');
    expect(server.images.size).toBe(1);
  });

  test('makes place for another one [PIC-31]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    await stage(tab, new Blob(['other']));
    await wait(0);
    expect(kept()).toEqual([['image 2', false]]);
  });

  test('that could not be uploaded stays, and is uploaded again or sent as it is [PIC-31]', async () => {
    const tab = await openTab();
    server.uploadErrors.push(null, new AppError('TOO_MANY'), null);
    await stage(tab);
    await wait(0);
    expect(staged(tab)).toMatchObject({
      picture: { imageId: null, progress: null },
      problem: 'The picture could not be uploaded. Please check your connection.',
    });
    room(tab).staging.uploadAgain();
    await wait(0);
    expect(staged(tab)).toMatchObject({
      picture: { imageId: null },
      problem: 'You’re doing that too often. Please wait a moment.',
    });
    room(tab).post('look');
    await carry(tab);
    expect(inLog()).toEqual([]);
    await wait(3000);
    await carry(tab);
    expect(inLog()).toEqual([['look', '']]);
  });

  test.each([
    ['IMAGE_NOT_A_PICTURE', 'This file type isn’t supported.'],
    ['IMAGE_BROKEN', 'This picture is damaged.'],
    ['IMAGE_TOO_ANIMATED', 'This animation is too long or too large.'],
  ] as const)(
    'that the server refuses goes, with its sentence: %s [PIC-33]',
    async (code, text) => {
      const tab = await openTab();
      server.uploadErrors.push(new AppError(code));
      await stage(tab);
      await wait(0);
      expect(staged(tab).picture).toBeNull();
      expect(staged(tab).problem).toContain(text);
      await stage(tab);
      expect(staged(tab).problem).toBeNull();
    },
  );

  test('is refused before it is uploaded, where the browser can tell [SEND-5, PIC-33]', async () => {
    const upload = vi.spyOn(server, 'upload');
    const tab = await openTab();
    const big = board();
    vi.spyOn(big, 'size', 'get').mockReturnValue(10 * 1024 * 1024 + 1);
    await stage(tab, big);
    expect(staged(tab).problem).toBe(
      'A picture can have at most 10 MB. Please choose a smaller one.',
    );
    await stage(tab, new Blob(['%PDF'], { type: 'application/pdf' }));
    expect(staged(tab).problem).toContain('This file type isn’t supported.');
    server.size = { width: 8000, height: 5001 };
    await stage(tab);
    expect(staged(tab)).toMatchObject({
      picture: null,
      problem: 'A picture can have at most 40 megapixels. Please choose a smaller one.',
    });
    await wait(0);
    expect(upload).not.toHaveBeenCalled();
  });

  test('that was refused is spoken of until the next message is sent [PIC-33, SEND-3]', async () => {
    const tab = await openTab();
    await stage(tab, new Blob(['%PDF'], { type: 'application/pdf' }));
    room(tab).post('then without it');
    expect(staged(tab)).toEqual({ picture: null, reading: false, problem: null });
  });

  test('is each class’s own, and goes with the class [PIC-31, LEAVE-3]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    tab.live.room('other').post('from the other');
    await carry(tab);
    expect(server.messagesOf('other')).toMatchObject([{ image: null }]);
    expect(staged(tab).picture).not.toBeNull();
    tab.wire()?.inject({ type: 'enrolment', classId: 'class', joined: false });
    expect(staged(tab).picture).toBeNull();
  });
});

describe('a picture in the outbox', () => {
  test('is uploaded again when the server has collected it [PIC-30]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    server.collect();
    room(tab).post('late');
    await carry(tab);
    await carry(tab);
    expect(inLog()).toEqual([['late', '']]);
    expect(kept()).toEqual([['image 2', true]]);
  });

  test('is given up, in words, when the server loses it again and again [PIC-30]', async () => {
    const tab = await openTab();
    const { upload } = server;
    vi.spyOn(server, 'upload').mockImplementation(async (one) => {
      const answer = await upload.call(server, one);
      server.collect();
      return answer;
    });
    await stage(tab);
    room(tab).post('late');
    room(tab).post('behind');
    for (let rounds = 0; rounds < 5; rounds++) await carry(tab);
    expect(shown(tab).at(-1)).toMatchObject({
      text: 'late',
      delivery: 'failed',
      failure: 'The picture is no longer on the server. Please add it again.',
    });
    expect(inLog()).toEqual([['behind', null]]);
  });

  test('outlives its tab and is sent by the next one [PIC-30, LOG-14]', async () => {
    server.uploadMs = 60_000;
    const tab = await openTab();
    await stage(tab);
    room(tab).post('closed too early');
    await wait(10);
    tab.close();
    server.uploadMs = 0;
    const next = await openTab();
    await carry(next);
    expect(inLog()).toEqual([['closed too early', '']]);
    expect(await [...server.images.values()][0]?.bytes.text()).toBe('board');
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('is uploaded by one of two tabs [PIC-30, LOG-15]', async () => {
    server.uploadMs = 2000;
    const [first, second] = [await openTab(), await openTab()];
    await stage(second);
    room(second).post('from the second');
    await carry(first, second);
    await wait(2500);
    await carry(first, second);
    expect(inLog()).toEqual([['from the second', '']]);
    expect(server.images.size).toBe(1);
  });

  test('is uploaded by another tab when the one that began was put to sleep [PIC-30]', async () => {
    server.uploadMs = 2000;
    const [first, second] = [await openTab(), await openTab()];
    await stage(second);
    room(second).post('from the second');
    await carry(first, second);
    second.freeze();
    await wait(10_000);
    await carry(first);
    expect(inLog()).toEqual([]);
    await wait(13_000);
    await carry(first);
    expect(inLog()).toEqual([['from the second', '']]);
  });

  test('that the browser had no room for goes out from its own tab, or fails in words [PIC-32]', async () => {
    const { put } = browser.storage;
    vi.spyOn(browser.storage, 'put').mockImplementation((entry) =>
      entry.picture?.bytes ? Promise.reject(new Error('full')) : put(entry),
    );
    const [first, second] = [await openTab(), await openTab()];
    server.uploadErrors.push(null);
    await stage(second);
    room(second).post('from the second');
    await carry(first, second);
    expect(shown(second)).toMatchObject([{ onlyHere: true, failure: null }]);
    expect(shown(first)).toMatchObject([{ text: 'from the second', failure: null }]);
    await wait(3000);
    await carry(first, second);
    expect(inLog()).toEqual([['from the second', '']]);

    server.uploadMs = 60_000;
    await stage(second);
    room(second).post('lost with its tab');
    await carry(first, second);
    second.close();
    await carry(first);
    expect(shown(first).at(-1)).toMatchObject({
      text: 'lost with its tab',
      failure: 'This browser had no room to keep the picture. Retry sends the text alone.',
    });
    room(first).retry(shown(first).at(-1)?.id ?? '');
    await carry(first);
    expect(inLog().at(-1)).toEqual(['lost with its tab', null]);
  });

  test('goes from the server too when its message is discarded [PIC-31]', async () => {
    const tab = await openTab();
    server.refusals.push({ code: 'INVALID', message: 'No.' });
    await stage(tab);
    room(tab).post('refused');
    await carry(tab);
    expect(kept()).toEqual([['image 1', false]]);
    room(tab).discard(shown(tab)[0]?.id ?? '');
    expect([shown(tab), kept()]).toEqual([[], []]);
  });
});
