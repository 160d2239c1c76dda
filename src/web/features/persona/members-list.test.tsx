// The people in the panel of a class.
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Persona } from '#contract/entities.ts';
import { createStore } from '#web/store.ts';
import type { Room } from '#web/sync/room/room.ts';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';
import { MembersList } from './members-list.tsx';

const [fox, elan, panda] = ['Blue Fox', 'Élan Vital', 'Red Panda'].map((anonymousName, n) => {
  return { memberId: String(n).repeat(16), anonymousName, icon: anonymousName };
}) as [Persona, Persona, Persona];

notifyManager.setNotifyFunction((notify) => act(notify));

const { root, container } = setUpRoot();

beforeEach(() => {
  HTMLElement.prototype.showPopover = () => undefined;
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ me: panda, personas: [panda, fox, elan], nextAfter: null })),
  );
});

async function render(onMention: ((persona: Persona) => void) | null): Promise<void> {
  const preferences = createStore({ ignored: new Set([fox.memberId]) });
  const room = { preferences, getSnapshot: () => ({ staff: null }) } as unknown as Room;
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <MembersList classId="class" room={room} onMention={onMention} onReport={() => undefined} />
      </QueryClientProvider>,
    ),
  );
  await waitForRender(() => expect(container.querySelector('[aria-label=People]')).not.toBe(null));
}

const listNames = () => [...container.querySelectorAll('li')].map((item) => item.textContent);
const getCount = () => container.querySelector('[role=status]')?.textContent;

async function search(text: string): Promise<void> {
  const field = container.querySelector<HTMLInputElement>('input[type=search]')!;
  const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!;
  await act(async () => {
    setValue.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

test('the list counts the people and finds them by the start of a word of their name [PANEL-4]', async () => {
  await render(null);

  expect(getCount()).toBe('3 people');
  expect(listNames()).toEqual(['Blue Fox(ignored)', 'Élan Vital', 'Red Panda, you']);

  await search('elan');
  expect(getCount()).toBe('1 of 3 people');
  expect(listNames()).toEqual(['Élan Vital']);

  await search(' PAN ');
  expect(listNames()).toEqual(['Red Panda, you']);

  await search('fo x');
  expect(getCount()).toBe('0 of 3 people');
});

const findItems = () => [...container.querySelectorAll<HTMLElement>('[role=menuitem]')];
const listItems = () => findItems().map((item) => item.textContent);

async function openMenu(name: string): Promise<void> {
  await act(async () => {
    container.querySelector<HTMLElement>(`[aria-label="Options for ${name}"]`)?.click();
    // The code of menus loads on demand.
    await import('#web/ui/menu.tsx');
  });
  await waitForRender(() => expect(findItems()).not.toEqual([]));
}

test('the menu of another person offers a mention, if the member can write, to ignore and to report [PANEL-4, PANEL-5]', async () => {
  const mention = vi.fn<(persona: Persona) => void>();
  await render(mention);
  expect(container.querySelectorAll('[aria-label^=Options]')).toHaveLength(2);

  await openMenu('Blue Fox');
  expect(listItems()).toEqual(['Mention', 'Stop ignoring', 'Report']);
  act(() => findItems()[0]?.click());
  expect(mention).toHaveBeenCalledExactlyOnceWith(fox);

  await render(null);
  await openMenu('Élan Vital');
  expect(listItems()).toEqual(['Ignore', 'Report']);
});

test('people called ‘Anonymous’ have the names of their tiles, with a tag if several have the same [PERSONA-31]', async () => {
  const [ben, cem] = ['b', 'c'].map((letter) => {
    return { memberId: letter.repeat(16), anonymousName: 'Anonymous', icon: 'same' };
  }) as [Persona, Persona];
  vi.stubGlobal('fetch', () =>
    Promise.resolve(Response.json({ me: fox, personas: [ben, elan, cem], nextAfter: null })),
  );

  await render(null);

  expect(listNames()).toEqual([
    'Élan Vital',
    'Olive Square Q5, Anonymous',
    'Olive Square B8, Anonymous',
  ]);
  const buttons = [...container.querySelectorAll('[aria-label^=Options]')];
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual([
    'Options for Élan Vital',
    'Options for Olive Square Q5, Anonymous',
    'Options for Olive Square B8, Anonymous',
  ]);

  await search('olive sq');
  expect(getCount()).toBe('2 of 3 people');
  await search('b8');
  expect(listNames()).toEqual(['Olive Square B8, Anonymous']);
});
