// The pictures and files in the panel of a class.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { createListeners, createStore } from '#web/store.ts';
import type { MessageChange, Room } from '#web/sync/room/room.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { ClassPictures } from './class-pictures.tsx';

function createMessage(name: string, memberId: string) {
  const images = [
    {
      imageUrl: `/images/${name}.webp`,
      thumbUrl: `/images/${name}.small.webp`,
      width: 4,
      height: 3,
      placeholder: '',
      animated: false,
      alt: name,
      ...(name === 'solution' && { spoiler: true }),
      ...(name === 'sheet' && { pages: 3, pdfUrl: '/images/sheet.pdf' }),
    },
  ];
  return { id: name, memberId, createdAt: Date.now(), images };
}

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();
/** The replies to the next calls, by the cursor in their address. */
let pages: Record<string, { messages: unknown[]; nextBefore: number | null }>;
const preferences = createStore({ ignored: new Set<string>(), hidden: new Set<string>() });
const changes = createListeners<[MessageChange]>();
const view = createStore({ newest: [] as object[] });

beforeEach(() => {
  vi.stubGlobal('fetch', (url: string) => {
    // No picture loads.
    if (url.startsWith('/images/')) return new Promise(() => undefined);
    const cursor = new URL(url, 'http://localhost').searchParams.get('before') ?? '';
    return Promise.resolve(Response.json(pages[cursor]));
  });
  preferences.set({ ignored: new Set(), hidden: new Set() });
});

async function render(): Promise<void> {
  const room = { ...view, preferences, onMessageChanged: changes.add } as unknown as Room;
  await act(async () =>
    root.render(
      <MemoryRouter>
        <QueryClientProvider client={new QueryClient()}>
          <ClassPictures classId="class" room={room} messageState={null} />
        </QueryClientProvider>
      </MemoryRouter>,
    ),
  );
}

const listAddresses = () =>
  [...container.querySelectorAll('a')].map((link) => link.getAttribute('href'));

const expectAddresses = (ids: string[]) =>
  waitForRender(() =>
    expect(listAddresses()).toEqual(ids.map((id) => `/home/class?message=${id}`)),
  );

test('the pictures lead to their messages, without those of ignored people and hidden messages [PANEL-6]', async () => {
  const messages = [createMessage('sheet', 'ann'), createMessage('board', 'ben')];
  pages = { '': { messages: [...messages, createMessage('tree', 'ann')], nextBefore: null } };
  await render();
  await expectAddresses(['sheet', 'board', 'tree']);
  const [sheet, board] = [...container.querySelectorAll('a')].map((link) => link.textContent);
  expect(sheet).toMatch(/^PDF · 3 pages.*sheet, Today, /);
  expect(board).toMatch(/^Picture: board, Today, /);

  act(() => preferences.set({ ignored: new Set(['ben']), hidden: new Set(['tree']) }));

  await expectAddresses(['sheet']);
});

test('the list passes over empty pages, loads more, and follows deletions and new pictures [PANEL-6]', async () => {
  pages = {
    '': { messages: [], nextBefore: 90 },
    90: { messages: [createMessage('board', 'ben')], nextBefore: 40 },
    40: { messages: [createMessage('tree', 'ann')], nextBefore: null },
  };
  await render();
  await expectAddresses(['board']);
  act(() => container.querySelector('button')?.click());
  await expectAddresses(['board', 'tree']);
  expect(container.querySelector('button')).toBe(null);
  expect(document.activeElement).toBe(container.querySelectorAll('a')[1]);

  pages['90'] = { messages: [], nextBefore: 40 };
  act(() => changes.notify({ kind: 'deleted', messageId: 'board' }));
  await expectAddresses(['tree']);

  const newMessages = [createMessage('sheet', 'ben'), createMessage('tree', 'ann')];
  pages[''] = { messages: newMessages, nextBefore: null };
  act(() => view.set({ newest: [{ id: 'sheet', seq: 95, images: [{}] }] }));
  await expectAddresses(['sheet', 'tree']);
});

test('a hidden picture is neither loaded nor described [PIC-98]', async () => {
  const load = vi.spyOn(globalThis, 'fetch');
  pages = { '': { messages: [createMessage('solution', 'ann')], nextBefore: null } };
  await render();

  await expectAddresses(['solution']);

  expect(container.querySelector('a')?.textContent).toMatch(/^Picture: Hidden, press to show, /);
  expect(load.mock.calls.filter(([url]) => String(url).startsWith('/images/'))).toEqual([]);
});

test('a class without pictures says so [PANEL-6, LAYOUT-8]', async () => {
  pages = { '': { messages: [], nextBefore: null } };
  await render();

  await waitForRender(() =>
    expect(container.querySelector('[role=status]')?.textContent).toContain(
      'No pictures and files yet.',
    ),
  );
});
