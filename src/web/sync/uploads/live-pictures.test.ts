import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ErrorCode } from '#contract/errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';

const createRejection = (code: ErrorCode) => new RejectedError(code, `The sentence for ${code}.`);

let server: FakeServer;
let browser: FakeBrowser;
beforeEach(() => {
  ({ server, browser } = startBrowser());
});
afterEach(() => stopBrowser(browser));

const openTab = () => openTabIn(browser);
const getRoom = (tab: FakeTab) => tab.live.room('class');
const getStaged = (tab: FakeTab) => getRoom(tab).staging.getSnapshot();
const listShown = (tab: FakeTab) => getRoom(tab).getSnapshot().messages;
const createFile = (text: string, type = 'image/png', name = 'x.png') =>
  new File([text], name, { type });
const createBoard = () => createFile('board');
/** Each message with the descriptions of its pictures. */
const listLog = () =>
  server.listMessages('class').map(({ text, images }) => [text, ...images.map(({ alt }) => alt)]);
const listServerImages = () => [...server.images].map(([id, { sent }]) => [id, sent]);

async function stage(tab: FakeTab, ...files: File[]): Promise<void> {
  await getRoom(tab).staging.add(files.length > 0 ? files : [createBoard()]);
}

const getFirstStaged = (tab: FakeTab) => getStaged(tab).pictures[0];
const describeFirst = (tab: FakeTab, alt: string) =>
  getRoom(tab).staging.describe(getFirstStaged(tab)?.id ?? '', alt);
const listProblems = (tab: FakeTab) => getStaged(tab).rejected.map(({ problem }) => problem);
const createTextFile = () => createFile('notes', 'text/plain', 'notes.txt');
const empty = { pictures: [], reading: false, rejected: [] };

describe('a staged picture', () => {
  test('a staged picture is uploaded when it is chosen, and sending need not wait for it [PIC-31]', async () => {
    const tab = await openTab();
    await stage(tab);
    expect(getFirstStaged(tab)).toMatchObject({ size: { width: 4, height: 3 }, imageId: null });
    await wait(0);
    expect(getFirstStaged(tab)).toMatchObject({ imageId: 'image 1', progress: null });
    describeFirst(tab, ' A \u202eboard\u0007 ');
    getRoom(tab).post('look');
    expect(getStaged(tab)).toEqual(empty);
    await carry(tab);
    expect(listLog()).toEqual([['look', 'A board']]);
    expect(server.images.size).toBe(1);
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('a staged picture may be sent before it is uploaded: shown immediately, and a later text does not wait for it [PIC-31, PIC-90, SEND-1, SEND-7]', async () => {
    server.uploadMs = 5000;
    const tab = await openTab();
    await stage(tab);
    getRoom(tab).post('');
    getRoom(tab).post('WAIT, the exam moved');
    await carry(tab);
    expect(listShown(tab)).toMatchObject([
      { text: 'WAIT, the exam moved', delivery: 'sent', progress: [], unsentPictures: [] },
      { text: '', delivery: 'sending', progress: [0.5], unsentPictures: [{ imageId: null }] },
    ]);
    expect(listLog()).toEqual([['WAIT, the exam moved']]);
    await wait(5000);
    await carry(tab);
    expect(listLog()).toEqual([['WAIT, the exam moved'], ['', '']]);
    expect(server.images.size).toBe(1);
  });

  test('a staged picture is taken from the server when it is taken out of the composer [PIC-31]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    expect(listServerImages()).toEqual([['image 1', false]]);
    getRoom(tab).staging.removeAll();
    expect([getStaged(tab).pictures, listServerImages()]).toEqual([[], []]);

    server.uploadMs = 1000;
    await stage(tab);
    getRoom(tab).staging.removeAll();
    await wait(2000);
    expect([getStaged(tab).pictures, listServerImages()]).toEqual([[], []]);
    getRoom(tab).post('alone');
    await carry(tab);
    expect(listLog()).toEqual([['alone']]);
  });

  test('a staged picture is waited for while its file is read [PIC-31]', async () => {
    const tab = await openTab();
    const reading = getRoom(tab).staging.add([createBoard()]);
    expect(getStaged(tab)).toMatchObject({ pictures: [], reading: true });
    await reading;
    expect(getStaged(tab)).toMatchObject({ pictures: [{ progress: 0 }], reading: false });
  });

  test('a staged picture that could not be uploaded stays, and is uploaded again or sent as it is [PIC-31]', async () => {
    const tab = await openTab();
    server.uploadErrors.push(null, createRejection('TOO_MANY'), null);
    await stage(tab);
    await wait(0);
    expect(getFirstStaged(tab)).toMatchObject({
      imageId: null,
      progress: null,
      problem: 'The picture could not be uploaded. Please check your connection.',
    });
    getRoom(tab).staging.retryUpload(getFirstStaged(tab)?.id ?? '');
    await wait(0);
    expect(getFirstStaged(tab)).toMatchObject({
      imageId: null,
      problem: 'The sentence for TOO_MANY.',
    });
    getRoom(tab).post('look');
    await carry(tab);
    expect(listLog()).toEqual([]);
    await wait(3000);
    await carry(tab);
    expect(listLog()).toEqual([['look', '']]);
  });

  test.each(['STORAGE_FULL', 'TOO_MANY_BYTES'] as const)(
    'a staged picture stays with a sentence and Retry if the server takes no pictures for now: %s [PIC-82, LIMIT-53]',
    async (code) => {
      const tab = await openTab();
      server.uploadErrors.push(createRejection(code));
      await stage(tab);
      await wait(0);
      expect(getStaged(tab)).toMatchObject({
        pictures: [{ imageId: null, progress: null, problem: `The sentence for ${code}.` }],
        rejected: [],
      });

      getRoom(tab).staging.retryUpload(getFirstStaged(tab)?.id ?? '');
      await wait(0);

      expect(getFirstStaged(tab)).toMatchObject({ imageId: 'image 1', problem: null });
    },
  );

  test('a staged picture that is sent while the server takes no pictures fails with its message, which Retry sends with the picture [PIC-82, LIMIT-53]', async () => {
    const tab = await openTab();
    server.uploadMs = 10;
    await stage(tab);
    server.uploadErrors.push(createRejection('STORAGE_FULL'));
    getRoom(tab).post('look');
    await wait(100);
    await carry(tab);
    expect(listShown(tab)).toMatchObject([
      { delivery: 'failed', failure: 'The sentence for STORAGE_FULL.' },
    ]);

    getRoom(tab).retry(listShown(tab)[0]?.id ?? '');
    await wait(100);
    await carry(tab);

    expect(listLog()).toEqual([['look', '']]);
  });

  test.each([
    ['IMAGE_NOT_A_PICTURE', 'The sentence for IMAGE_NOT_A_PICTURE.'],
    ['IMAGE_BROKEN', 'The sentence for IMAGE_BROKEN.'],
    ['IMAGE_TOO_ANIMATED', 'The sentence for IMAGE_TOO_ANIMATED.'],
  ] as const)(
    'a staged picture that the server rejects goes, with its sentence: %s [PIC-33]',
    async (code, text) => {
      const tab = await openTab();
      server.uploadErrors.push(createRejection(code));
      await stage(tab);
      await wait(0);
      expect(getStaged(tab).pictures).toEqual([]);
      expect(listProblems(tab)).toEqual([expect.stringContaining(text)]);
      await stage(tab);
      expect(listProblems(tab)).toEqual([]);
    },
  );

  test('a staged picture is rejected before it is uploaded, where the browser can tell [SEND-5, PIC-33]', async () => {
    const upload = vi.spyOn(server, 'upload');
    const tab = await openTab();
    const big = createBoard();
    vi.spyOn(big, 'size', 'get').mockReturnValue(10 * 1024 * 1024 + 1);
    await stage(tab, big);
    expect(listProblems(tab)).toEqual([
      'A picture can have at most 10 MB. Please choose a smaller one.',
    ]);
    await stage(tab, createTextFile());
    expect(listProblems(tab)).toEqual([expect.stringContaining('This file type isn’t supported.')]);
    server.size = { width: 8000, height: 5001 };
    await stage(tab);
    expect(getStaged(tab).pictures).toEqual([]);
    expect(listProblems(tab)).toEqual([
      'A picture can have at most 40 megapixels. Please choose a smaller one.',
    ]);
    await wait(0);
    expect(upload).not.toHaveBeenCalled();
  });

  test('a staged picture that was rejected is spoken of until the next message is sent [PIC-33, SEND-3]', async () => {
    const tab = await openTab();
    await stage(tab, createTextFile());
    getRoom(tab).post('then without it');
    expect(getStaged(tab)).toEqual(empty);
  });

  test('a staged picture is each class’s own, and goes with the class [PIC-31, LEAVE-3]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    tab.live.room('other').post('from the other');
    await carry(tab);
    expect(server.listMessages('other')).toMatchObject([{ images: [] }]);
    expect(getStaged(tab).pictures).toHaveLength(1);
    tab.wire()?.inject({ type: 'enrolment', classId: 'class', joined: false });
    expect(getStaged(tab).pictures).toEqual([]);
  });
});

describe('a picture in the outbox', () => {
  test('a picture in the outbox is uploaded again when the server has collected it [PIC-30]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    server.collect();
    getRoom(tab).post('late');
    await carry(tab);
    await carry(tab);
    expect(listLog()).toEqual([['late', '']]);
    expect(listServerImages()).toEqual([['image 2', true]]);
  });

  test('a picture in the outbox is given up, in words, when the server loses it again and again [PIC-30]', async () => {
    const tab = await openTab();
    const { upload } = server;
    vi.spyOn(server, 'upload').mockImplementation(async (request) => {
      const answer = await upload.call(server, request);
      server.collect();
      return answer;
    });
    await stage(tab);
    getRoom(tab).post('late');
    getRoom(tab).post('behind');
    for (let rounds = 0; rounds < 5; rounds++) await carry(tab);
    expect(listShown(tab).at(-1)).toMatchObject({
      text: 'late',
      delivery: 'failed',
      failure: 'The picture is no longer on the server. Please add it again.',
    });
    expect(listLog()).toEqual([['behind']]);
  });

  test('a picture in the outbox outlives its tab and is sent by the next one [PIC-30, LOG-14]', async () => {
    server.uploadMs = 60_000;
    const tab = await openTab();
    await stage(tab);
    getRoom(tab).post('closed too early');
    await wait(10);
    tab.close();
    server.uploadMs = 0;
    const next = await openTab();
    await carry(next);
    expect(listLog()).toEqual([['closed too early', '']]);
    expect(await [...server.images.values()][0]?.bytes.text()).toBe('board');
    expect(await browser.storage.list('ada')).toEqual([]);
  });

  test('a picture in the outbox is uploaded by one of two tabs [PIC-30, LOG-14]', async () => {
    server.uploadMs = 2000;
    const first = await openTab();
    const second = await openTab();
    await stage(second);
    getRoom(second).post('from the second');
    await carry(first, second);
    await wait(2500);
    await carry(first, second);
    expect(listLog()).toEqual([['from the second', '']]);
    expect(server.images.size).toBe(1);
  });

  test('a picture in the outbox is uploaded by another tab when the one that began was put to sleep [PIC-30]', async () => {
    server.uploadMs = 2000;
    const first = await openTab();
    const second = await openTab();
    await stage(second);
    getRoom(second).post('from the second');
    await carry(first, second);
    second.freeze();
    await wait(10_000);
    await carry(first);
    expect(listLog()).toEqual([]);
    await wait(13_000);
    await carry(first);
    expect(listLog()).toEqual([['from the second', '']]);
  });

  test('a picture in the outbox that the browser had no room for goes out from its own tab, or fails in words [PIC-32]', async () => {
    const { put } = browser.storage;
    vi.spyOn(browser.storage, 'put').mockImplementation((entry) =>
      entry.pictures.some(({ bytes }) => bytes) ? Promise.reject(new Error('full')) : put(entry),
    );
    const first = await openTab();
    const second = await openTab();
    server.uploadErrors.push(null);
    await stage(second);
    getRoom(second).post('from the second');
    await carry(first, second);
    expect(listShown(second)).toMatchObject([{ pictureOnlyInThisTab: true, failure: null }]);
    expect(listShown(first)).toMatchObject([{ text: 'from the second', failure: null }]);
    await wait(3000);
    await carry(first, second);
    expect(listLog()).toEqual([['from the second', '']]);

    server.uploadMs = 60_000;
    await stage(second);
    getRoom(second).post('lost with its tab');
    await carry(first, second);
    second.close();
    await carry(first);
    expect(listShown(first).at(-1)).toMatchObject({
      text: 'lost with its tab',
      failure: 'This browser had no space to save the file. Retry sends only the text.',
    });
    getRoom(first).retry(listShown(first).at(-1)?.id ?? '');
    await carry(first);
    expect(listLog().at(-1)).toEqual(['lost with its tab']);
  });

  test('a picture in the outbox goes from the server too when its message is discarded [PIC-31]', async () => {
    const tab = await openTab();
    server.refusals.push({ code: 'INVALID', message: 'No.' });
    await stage(tab);
    getRoom(tab).post('rejected');
    await carry(tab);
    expect(listServerImages()).toEqual([['image 1', false]]);
    getRoom(tab).discard(listShown(tab)[0]?.id ?? '');
    expect([listShown(tab), listServerImages()]).toEqual([[], []]);
  });
});

test('a PDF is staged by its content, without a name, and is rejected if it only claims to be one [PDF-18, PDF-10]', async () => {
  const tab = await openTab();
  const createPdf = (content: string) => createFile(content, 'application/pdf', 'Ada.pdf');
  await stage(tab, createPdf('%PDF-1.7'));
  const [picture] = getStaged(tab).pictures;
  expect(picture).toMatchObject({ size: null });
  expect(picture!.bytes).not.toBeInstanceOf(File);
  expect(picture!.bytes.type).toBe('application/pdf');
  await stage(tab, createPdf('Notes'));
  expect(listProblems(tab)).toEqual(['This file isn’t a PDF. Please export it as a PDF first.']);
});

describe('messages behind an upload', () => {
  const listShownTexts = (tab: FakeTab) => listShown(tab).map(({ text }) => text);

  /** Sends a message whose picture is uploaded some time later. */
  async function postPicture(tab: FakeTab, text: string): Promise<void> {
    await stage(tab);
    getRoom(tab).post(text);
  }

  test('Texts come before the pictures that wait, in all tabs, after a reload, and when they are sent [PIC-90, LOG-14]', async () => {
    server.uploadMs = 5000;
    const tab = await openTab();
    const other = await openTab();
    tab.wire()?.drop();
    await postPicture(tab, 'board 1');
    getRoom(tab).post('one');
    await postPicture(tab, 'board 2');
    getRoom(tab).post('two');
    await wait(10);
    const order = ['one', 'two', 'board 1', 'board 2'];
    expect([listShownTexts(tab), listShownTexts(other)]).toEqual([order, order]);

    tab.close();
    other.close();
    const next = browser.openTab();
    getRoom(next);
    await wait(10);
    next.wire()?.open();
    next.wire()?.deliverDown();
    await wait(10);
    expect(listShownTexts(next)).toEqual(order);
    await carry(next);
    expect(listLog()).toEqual([['one'], ['two']]);
    for (let n = 0; n < 3; n++) {
      await wait(5000);
      await carry(next);
    }

    expect(listLog()).toEqual([['one'], ['two'], ['board 1', ''], ['board 2', '']]);
  });

  test('A picture whose upload is repeated stays before the pictures after it [PIC-90]', async () => {
    const tab = await openTab();
    server.uploadErrors.push(null);
    await postPicture(tab, 'board 1');
    await postPicture(tab, 'board 2');
    getRoom(tab).post('text');
    await carry(tab);

    expect(listLog()).toEqual([['text']]);
    await wait(3000);
    await carry(tab);

    expect(listLog()).toEqual([['text'], ['board 1', ''], ['board 2', '']]);
  });

  test('A message says what it waits for: its own upload, or the message before it [PIC-91, SEND-36]', async () => {
    const tab = await openTab();
    server.uploadMs = 5000;
    server.refusals.push({ code: 'TOO_MANY', message: 'Wait.', retryAfterMs: 20_000 });
    await postPicture(tab, 'board');
    getRoom(tab).post('one');
    getRoom(tab).post('two');
    await carry(tab);

    const retryAt = expect.any(Number) as number;
    expect(listShown(tab)).toMatchObject([
      { text: 'one', retryAt },
      { text: 'two', retryAt },
      { text: 'board', retryAt: null, progress: [0.5] },
    ]);
  });

  test('Cancel stops an upload and keeps the message, which Retry sends [PIC-91]', async () => {
    server.uploadMs = 5000;
    const tab = await openTab();
    await postPicture(tab, 'board');
    await carry(tab);
    const { id = '' } = listShown(tab)[0] ?? {};

    getRoom(tab).cancel(id);
    await wait(10_000);
    await carry(tab);

    expect([listLog(), server.images.size]).toEqual([[], 0]);
    expect(listShown(tab)).toMatchObject([
      { delivery: 'failed', failure: 'You canceled this message.', progress: [null] },
    ]);
    getRoom(tab).retry(id);
    await wait(5000);
    await carry(tab);
    expect(listLog()).toEqual([['board', '']]);
  });

  test('No other tab continues an upload that the member stopped [PIC-91]', async () => {
    server.uploadMs = 5000;
    const leader = await openTab();
    const tab = await openTab();
    await postPicture(tab, 'board');
    await carry(leader, tab);

    getRoom(tab).cancel(listShown(tab)[0]?.id ?? '');
    await wait(60_000);
    await carry(leader, tab);

    expect([listLog(), server.images.size]).toEqual([[], 0]);
    expect(listShown(leader)).toMatchObject([{ delivery: 'failed' }]);
  });
});

describe('a large photo', () => {
  const getBytes = (tab: FakeTab) => getFirstStaged(tab)?.bytes.text();

  beforeEach(() => {
    browser.smallerCopy = new Blob(['copy'], { type: 'image/jpeg' });
  });

  test('A smaller copy of a large photo is sent [PIC-92]', async () => {
    const tab = await openTab();

    await stage(tab);
    getRoom(tab).post('');
    await carry(tab);

    expect(await server.loadPicture(server.listMessages('class')[0]!)).toBe('copy');
  });

  test('The member chooses the original instead, changes the mind, and a reload keeps the choice [PIC-92, PIC-70]', async () => {
    const tab = await openTab();
    await stage(tab);
    await wait(0);
    describeFirst(tab, 'A board');
    const { id = '' } = getFirstStaged(tab) ?? {};
    const { staging } = getRoom(tab);

    staging.switchSize(id);
    expect(getFirstStaged(tab)).toMatchObject({ imageId: null, progress: 0 });
    await wait(0);
    expect(await getBytes(tab)).toBe('board');
    expect(listServerImages()).toEqual([['image 2', false]]);
    staging.switchSize(id);
    await wait(0);
    expect(await getBytes(tab)).toBe('copy');
    staging.switchSize(id);
    await wait(0);
    tab.close();
    const reloaded = browser.openTab(tab);
    getRoom(reloaded);
    await carry(reloaded);

    expect(await getBytes(reloaded)).toBe('board');
    expect(await getFirstStaged(reloaded)?.alternative?.text()).toBe('copy');
    getRoom(reloaded).post('');
    await carry(reloaded);
    expect(listLog()).toEqual([['', 'A board']]);
    expect(await server.loadPicture(server.listMessages('class')[0]!)).toBe('board');
    expect(await browser.storage.listStaged('ada')).toEqual([]);
  });
});

describe('several pictures', () => {
  const createPages = (...texts: string[]) =>
    texts.map((text) => createFile(text, 'image/png', `${text}.png`));
  const listStagedTexts = (tab: FakeTab) =>
    Promise.all(getStaged(tab).pictures.map(({ bytes }) => bytes.text()));
  const getPictureId = (tab: FakeTab, n: number) => getStaged(tab).pictures[n]?.id ?? '';
  /** The contents of the sent pictures, in the order of the newest message. */
  const listSentTexts = () =>
    Promise.all(
      (server.listMessages('class').at(-1)?.images ?? []).map(async ({ imageUrl }) => {
        const id = imageUrl.replace(/^.*\/|\.webp$/g, '');
        return server.images.get(id)?.bytes.text() ?? 'lost';
      }),
    );

  test('several pictures keep the order in which the member puts them, also if an upload ends later [PIC-64, PIC-73, PIC-31]', async () => {
    server.uploadMs = 1000;
    const tab = await openTab();
    await stage(tab, ...createPages('one', 'two', 'three'));
    getRoom(tab).staging.move(getPictureId(tab, 2), 0);
    getRoom(tab).staging.describe(getPictureId(tab, 1), 'First');
    await wait(1000);
    expect(getStaged(tab).pictures.map(({ progress }) => progress)).toEqual([0, null, 0.5]);
    getRoom(tab).post('');
    await wait(2100);
    await carry(tab);
    expect(listLog()).toEqual([['', '', 'First', '']]);
    expect(await listSentTexts()).toEqual(['three', 'one', 'two']);
  });

  test('several pictures are at most ten, and each rejected file is named [PIC-72, PIC-64]', async () => {
    const tab = await openTab();
    await stage(tab, ...createPages('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'));
    await stage(tab, createTextFile(), ...createPages('j', 'k'));
    expect((await listStagedTexts(tab)).join('')).toBe('abcdefghij');
    expect(getStaged(tab).rejected).toMatchObject([
      { name: 'notes.txt', problem: expect.stringContaining('This file type') as string },
      { name: 'k.png', problem: expect.stringContaining('at most 10 pictures and PDFs') as string },
    ]);
  });

  test('several pictures stay when one of them is removed or rejected by the server [PIC-72, PIC-73]', async () => {
    const tab = await openTab();
    server.uploadErrors.push(createRejection('IMAGE_BROKEN'));
    await stage(tab, ...createPages('broken', 'kept', 'removed'));
    await wait(50);
    expect(getStaged(tab).rejected).toMatchObject([{ name: 'broken.png' }]);
    getRoom(tab).staging.remove(getPictureId(tab, 1));
    expect(await listStagedTexts(tab)).toEqual(['kept']);
    expect(server.images.size).toBe(1);
  });

  test('several pictures of which the server rejects one after sending: the message fails, and Retry sends the rest [PIC-75]', async () => {
    const tab = await openTab();
    server.uploadMs = 10;
    await stage(tab, ...createPages('good', 'broken', 'fine'));
    getRoom(tab).post('look');
    server.uploadErrors.push(null, createRejection('IMAGE_BROKEN'));
    // The first upload gets no answer, so that the sender tries again.
    for (let n = 0; n < 8; n++) {
      await wait(1000);
      await carry(tab);
    }
    expect(listLog()).toEqual([]);
    expect(listShown(tab)).toMatchObject([
      {
        delivery: 'failed',
        failure: 'The sentence for IMAGE_BROKEN. Retry sends the rest.',
      },
    ]);
    getRoom(tab).retry(listShown(tab)[0]?.id ?? '');
    await wait(100);
    await carry(tab);
    expect(listLog()).toEqual([['look', '', '']]);
    expect(await listSentTexts()).toEqual(['good', 'fine']);
  });

  test('survive a reload of their tab with their order and descriptions, and no other tab has them [PIC-70]', async () => {
    const tab = await openTab();
    await stage(tab, ...createPages('one', 'two'));
    await wait(0);
    getRoom(tab).staging.move(getPictureId(tab, 1), 0);
    getRoom(tab).staging.describe(getPictureId(tab, 0), 'Second');
    tab.close();
    const reloaded = browser.openTab(tab);
    const other = browser.openTab();
    for (const openedTab of [reloaded, other]) getRoom(openedTab);
    await carry(reloaded, other);
    expect(await listStagedTexts(reloaded)).toEqual(['two', 'one']);
    expect(getStaged(other)).toEqual(empty);
    getRoom(reloaded).post('after the reload');
    await carry(reloaded);
    expect(listLog()).toEqual([['after the reload', 'Second', '']]);
    expect(await browser.storage.listStaged('ada')).toEqual([]);
    expect([...reloaded.texts]).toEqual([]);
  });

  test('several pictures of a closed tab are deleted after a day [PIC-70]', async () => {
    const tab = await openTab();
    await stage(tab, ...createPages('one'));
    tab.close();
    await wait(23 * 60 * 60_000);
    (await openTab()).close();
    expect(await browser.storage.listStaged('ada')).toHaveLength(1);
    await wait(2 * 60 * 60_000);
    (await openTab()).close();
    expect(await browser.storage.listStaged('ada')).toEqual([]);
  });

  test('several pictures leave the browser when the session ends, and come back with the same account [PIC-70, OFFLINE-16]', async () => {
    const tab = await openTab();
    await stage(tab, createFile('one'));
    await wait(0);
    server.uploadMs = 5000;
    await stage(tab, createFile('two'));
    await wait(0);

    tab.wire()?.drop(4001);
    await wait(0);
    expect(await browser.storage.listStaged('ada')).toEqual([]);

    tab.live.resume();
    await carry(tab);
    await wait(5000);
    expect(getStaged(tab)).toMatchObject({
      pictures: [
        { imageId: 'image 1', problem: null },
        { imageId: expect.stringMatching(/^image/), progress: null, problem: null },
      ],
      rejected: [],
    });
    expect(await browser.storage.listStaged('ada')).toHaveLength(2);
    getRoom(tab).post('both');
    await carry(tab);
    expect(listLog()).toEqual([['both', '', '']]);
  });

  test('a picture whose upload the server rejects because the session has ended stays [OFFLINE-16]', async () => {
    const tab = await openTab();
    server.uploadErrors.push(createRejection('UNAUTHENTICATED'));
    await stage(tab);
    await wait(0);
    expect(getStaged(tab)).toMatchObject({ pictures: [{ imageId: null, progress: null }] });

    tab.wire()?.drop(4001);
    tab.live.resume();
    await carry(tab);
    expect(getFirstStaged(tab)).toMatchObject({ imageId: 'image 1', problem: null });
  });

  test('the composer says that an animated PNG will not move, and takes it [PIC-96]', async () => {
    const chunk = (type: string, size: number) =>
      `${String.fromCharCode(0, 0, 0, size)}${type}${'.'.repeat(size + 4)}`;
    const createPng = (...chunks: string[]) => {
      const text = ['\x89PNG\r\n\x1a\n', chunk('IHDR', 13), ...chunks].join('');
      const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
      return new File([bytes], 'loop.png', { type: 'image/png' });
    };
    const tab = await openTab();

    await stage(tab, createPng(chunk('IDAT', 9), chunk('acTL', 8)));
    expect(getStaged(tab)).toMatchObject({ pictures: [{}], rejected: [] });

    await stage(tab, createPng(chunk('gAMA', 4), chunk('acTL', 8), chunk('IDAT', 9)));
    expect(getStaged(tab)).toMatchObject({
      pictures: [{}, {}],
      rejected: [
        {
          problem:
            'An animated PNG does not move here. To show it moving, save it as GIF or WebP and add it again.',
        },
      ],
    });
  });

  test.each(['heic', 'avif', 'avis', 'mif1'])(
    'a picture of the brand %s is converted if the browser can, and rejected in words otherwise [PIC-79]',
    async (brand) => {
      const tab = await openTab();
      const file = createFile(`\0\0\0\u0018ftyp${brand}…`, 'image/avif', 'IMG_1.AVIF');

      await stage(tab, file);
      expect(listProblems(tab)).toEqual([
        'This browser cannot read this picture (HEIC or AVIF). Please export it as JPEG and add it again.',
      ]);

      browser.converted = new Blob(['a jpeg'], { type: 'image/jpeg' });
      await stage(tab, file);
      expect(await listStagedTexts(tab)).toEqual(['a jpeg']);
    },
  );
});
