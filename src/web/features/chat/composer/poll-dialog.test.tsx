// The dialog in which a poll is written, closed and opened again.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { clearAllDrafts } from '#web/data/drafts.ts';
import { canReload } from '#web/data/reload-guard.ts';
import type { Lecture } from '#contract/entities.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { PollDialog } from './poll-dialog.tsx';

const { root, container } = setUpRoot();
const postPoll = vi.fn<Room['postPoll']>();
const clearComposer = vi.fn<() => void>();
let lecture: Lecture | undefined;
const getSnapshot = () => ({ settings: { lecture } }) as unknown as RoomView;

beforeEach(() => {
  postPoll.mockReset();
  clearComposer.mockReset();
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ account: null })));
});
afterEach(clearAllDrafts);

async function open(classId = 'class', text = 'When?'): Promise<void> {
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <PollDialog
          classId={classId}
          room={{ postPoll, getSnapshot, serverNow: Date.now }}
          mentions={{ text, clear: clearComposer }}
          speaker={{ hasChoice: false, isChosen: true, staffName: null }}
          onClose={() => root.render(null)}
        />
      </QueryClientProvider>,
    ),
  );
}

const listTexts = () =>
  [...container.querySelectorAll<HTMLInputElement>('textarea, fieldset input')].map(
    ({ value }) => value,
  );
const findButton = (name: string) =>
  [...container.querySelectorAll('button')].find(({ textContent }) => textContent === name);
const press = (name: string) => act(async () => findButton(name)?.click());
const pressEsc = () =>
  act(async () => void container.querySelector('dialog')?.dispatchEvent(new Event('cancel')));

function type(index: number, text: string): void {
  const field = [...container.querySelectorAll('input')][index]!;
  // React reads what changed from the property of the element's class.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
  act(() => void field.dispatchEvent(new Event('input', { bubbles: true })));
}

test('Esc keeps the poll for its class until the dialog opens again [POLL-57]', async () => {
  await open();
  for (const [n, day] of ['Monday', 'Friday', 'Sunday'].entries()) type(n, day);

  await pressEsc();

  expect(container.querySelector('dialog')).toBeNull();
  expect(canReload()).toBe(false);
  await open('other', '');
  expect(listTexts()).toEqual(['', '', '']);
  await pressEsc();
  await open('class', 'Something else');
  expect(listTexts()).toEqual(['When?', 'Monday', 'Friday', 'Sunday', '']);
});

test('Cancel discards the poll [POLL-57]', async () => {
  await open();
  type(0, 'Monday');

  await press('Cancel');

  expect(canReload()).toBe(true);
  await open();
  expect(listTexts()).toEqual(['When?', '', '']);
});

test('a poll that is asked leaves no draft, and no text in the composer unless it is another one [POLL-50, POLL-57]', async () => {
  await open();
  type(0, 'Monday');
  await pressEsc();
  await open('class', 'A message');
  type(1, 'Friday');

  await press('Ask');

  expect(postPoll).toHaveBeenLastCalledWith(
    'When?',
    expect.objectContaining({ options: ['Monday', 'Friday'] }),
  );
  expect(clearComposer).not.toHaveBeenCalled();
  await open('class', 'Where?');
  expect(listTexts()).toEqual(['Where?', '', '']);
  type(0, 'Here');
  type(1, 'There');
  await press('Ask');
  expect(clearComposer).toHaveBeenCalledOnce();
});

test('Enter goes from the question to the options, of which the next appears by itself, and submits from an empty one [POLL-50]', async () => {
  await open();
  const listFields = () => [...container.querySelectorAll<HTMLInputElement>('fieldset input')];
  const pressEnterIn = (field: Element) => {
    const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
    act(() => void field.dispatchEvent(event));
    return event;
  };
  const pressEnter = (index: number) => pressEnterIn(listFields()[index]!);
  expect(pressEnterIn(container.querySelector('textarea')!).defaultPrevented).toBe(true);
  expect(document.activeElement).toBe(listFields()[0]);
  type(0, 'Monday');
  type(1, 'Friday');
  expect(listFields()).toHaveLength(3);

  expect(pressEnter(1).defaultPrevented).toBe(true);

  expect(document.activeElement).toBe(listFields()[2]);
  expect(pressEnter(2).defaultPrevented).toBe(false);
  for (let n = 2; n < 8; n++) type(n, `Day ${n}`);
  expect(listFields()).toHaveLength(8);
});

test('during a lecture, a poll closes with it by default [POLL-50]', async () => {
  onTestFinished(() => void (lecture = undefined));
  const lastsUntil = Date.now() + 20 * 60_000;
  lecture = { lectureId: 'l', firstSeq: 0, lastSeq: null, lastsUntil };
  await open();
  type(0, 'Monday');
  type(1, 'Friday');

  await press('Ask');

  expect(postPoll).toHaveBeenLastCalledWith('When?', expect.objectContaining({ minutes: 0 }));
});
