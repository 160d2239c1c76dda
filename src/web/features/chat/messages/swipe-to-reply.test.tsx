import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { SwipeToReply } from './swipe-to-reply.tsx';

const reply = vi.fn<(id: string) => void>();
const { root } = setUpRoot();
let list: HTMLElement;
let row: HTMLElement;

beforeEach(() => {
  list = document.body.appendChild(document.createElement('div'));
  list.innerHTML =
    '<article data-message="m1"><p>Hello</p><pre style="overflow-x: auto"></pre><div role="toolbar"></div></article>';
  row = list.querySelector('article')!;
  act(() => root.render(<SwipeToReply scroller={{ current: list }} onReply={reply} />));
});

afterEach(() => void reply.mockReset());

interface Finger {
  x: number;
  y?: number;
  ms?: number;
}

function sendPointer(
  type: string,
  { x, y = 100, ms = 0 }: Finger,
  init: PointerEventInit = {},
): void {
  const event = new PointerEvent(type, {
    pointerId: 1,
    pointerType: 'touch',
    isPrimary: true,
    clientX: x,
    clientY: y,
    bubbles: true,
    ...init,
  });
  Object.defineProperty(event, 'timeStamp', { value: ms });
  const target = init.pointerId === 3 ? row.querySelector('pre') : row.querySelector('p');
  target?.dispatchEvent(event);
}

/** Moves a finger through the places and lifts it. */
function drag(places: readonly Finger[], init: PointerEventInit = {}): void {
  const [start, ...nextPlaces] = places;
  if (start) sendPointer('pointerdown', start, init);
  for (const place of nextPlaces) sendPointer('pointermove', place, init);
  sendPointer('pointerup', places.at(-1) ?? { x: 0 }, init);
}

test('a swipe away from the start of the line replies [CHAT-80]', () => {
  drag([{ x: 100 }, { x: 115 }, { x: 170 }]);

  expect(reply).toHaveBeenCalledExactlyOnceWith('m1');
  expect(row.className).toBe('');

  row.style.direction = 'rtl';
  drag([{ x: 300 }, { x: 285 }, { x: 230 }]);

  expect(reply).toHaveBeenCalledTimes(2);
});

test.each<[string, readonly Finger[]]>([
  ['a short swipe', [{ x: 100 }, { x: 150 }]],
  ['a swipe that goes back', [{ x: 100 }, { x: 180 }, { x: 120 }]],
  ['a swipe to the start of the line', [{ x: 200 }, { x: 100 }, { x: 280 }]],
  ['a movement that begins upward', [{ x: 100 }, { x: 104, y: 80 }, { x: 190, y: 80 }]],
  ['a slanting movement', [{ x: 100 }, { x: 180, y: 170 }]],
  ['a swipe from the left edge of the screen', [{ x: 10 }, { x: 30 }, { x: 120 }]],
  ['a swipe after a long press', [{ x: 100 }, { x: 101, ms: 100 }, { x: 190, ms: 700 }]],
])('%s does not reply [CHAT-80]', (_, places) => {
  drag(places);

  expect(reply).not.toHaveBeenCalled();
  expect(row.className).toBe('');
});

test('a finger that rests during a swipe opens no menu [CHAT-80]', () => {
  const menu = vi.fn<() => void>();
  document.body.addEventListener('contextmenu', menu, { once: true });
  const hold = () => row.dispatchEvent(new Event('contextmenu', { bubbles: true }));

  sendPointer('pointerdown', { x: 100 });
  sendPointer('pointermove', { x: 115 });
  hold();

  expect(menu).not.toHaveBeenCalled();

  sendPointer('pointerup', { x: 115 });
  hold();

  expect(menu).toHaveBeenCalledOnce();
});

test('a mouse, a second finger and a scrolling list do not reply [CHAT-80]', () => {
  drag([{ x: 100 }, { x: 190 }], { pointerType: 'mouse' });
  sendPointer('pointerdown', { x: 100 });
  sendPointer('pointermove', { x: 190 });
  sendPointer('pointerdown', { x: 200 }, { pointerId: 2, isPrimary: false });
  sendPointer('pointerup', { x: 190 });
  sendPointer('pointerdown', { x: 100 });
  sendPointer('pointermove', { x: 190 });
  sendPointer('pointercancel', { x: 190 });
  sendPointer('pointerup', { x: 190 });

  expect(reply).not.toHaveBeenCalled();
  expect(row.className).toBe('');
});

test('a message without tools, selected text and wide code take no swipe [CHAT-80]', () => {
  const swipe: readonly Finger[] = [{ x: 100 }, { x: 190 }];
  const code = row.querySelector('pre')!;
  Object.defineProperty(code, 'scrollWidth', { value: 500, configurable: true });
  drag(swipe, { pointerId: 3 });
  row.dataset['selectable'] = '';
  drag(swipe);
  delete row.dataset['selectable'];
  row.querySelector('[role=toolbar]')!.remove();
  drag(swipe);

  expect(reply).not.toHaveBeenCalled();
});
