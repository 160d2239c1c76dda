// The notices of the app: how they end, and where they are.
import { act, useEffect } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Modal } from './modal.tsx';
import { NoticePlace, NoticesProvider, useNotify } from './notices.tsx';
import { setUpRoot } from './testing/set-up-root.ts';

const { root } = setUpRoot();
let notify: ReturnType<typeof useNotify>;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

interface ScreenProps {
  hasRoom?: boolean;
  hasDialog?: boolean;
}

function Screen({ hasRoom, hasDialog }: ScreenProps) {
  const show = useNotify();
  useEffect(() => {
    notify = show;
  }, [show]);
  return (
    <main id="main" tabIndex={-1}>
      <button type="button">Before</button>
      {hasRoom && (
        <section>
          <NoticePlace />
        </section>
      )}
      {hasDialog && <Modal text="Ignored people" onDismiss={() => undefined} />}
    </main>
  );
}

function renderScreen(props: ScreenProps): void {
  act(() =>
    root.render(
      <NoticesProvider>
        <Screen {...props} />
      </NoticesProvider>,
    ),
  );
}

function render(props: ScreenProps = {}): void {
  renderScreen(props);
  wait(100);
}

const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms));
const move = (button: HTMLElement, type: 'pointerover' | 'pointerout') =>
  act(() => void button.dispatchEvent(new PointerEvent(type, { bubbles: true })));

const findNotice = () => document.querySelector('[role=status]');
const findButton = (label: string) =>
  [...document.querySelectorAll('button')].find(
    (button) => (button.getAttribute('aria-label') ?? button.textContent) === label,
  )!;

test('A member closes a notice, and the focus goes back to where it was, or to the screen [LAYOUT-101]', () => {
  render();
  for (const place of [findButton('Before'), document.querySelector<HTMLElement>('#main')!]) {
    act(() => notify({ text: 'Copied.' }));
    expect(findNotice()?.textContent).toBe('Copied.');
    place.focus();
    act(() => findButton('Close notice').focus());

    act(() => findButton('Close notice').click());

    expect(findNotice()?.textContent).toBe('');
    expect(document.activeElement).toBe(place);
  }
});

test('A notice stays while it has the focus or the pointer, and the next one waits [LAYOUT-101]', () => {
  render();
  act(() => notify({ text: 'You left.', action: { label: 'Undo', run: () => undefined } }));
  const undo = findButton('Undo');
  act(() => undo.focus());
  move(undo, 'pointerover');
  act(() => notify({ text: 'Copied.' }));

  wait(60_000);
  expect(findNotice()?.textContent).toBe('You left.Undo');
  act(() => undo.blur());
  wait(60_000);
  expect(findNotice()?.textContent).toBe('You left.Undo');
  move(undo, 'pointerout');
  wait(10_000);
  expect(findNotice()?.textContent).toBe('Copied.');
  wait(6000);
  expect(findNotice()?.textContent).toBe('');
});

test('A notice is in the topmost dialog, and its text follows it to another place [LAYOUT-101, AUTH-25]', () => {
  render({ hasRoom: true, hasDialog: true });
  const run = vi.fn<() => void>();
  act(() => notify({ text: 'You left.', action: { label: 'Undo', run, isUndo: true } }));
  expect(document.querySelector('dialog [role=status]')?.textContent).toBe('You left.Undo');

  renderScreen({ hasRoom: true });

  expect(document.querySelector('section [role=status]')?.textContent).toBe('');
  wait(100);
  expect(document.querySelector('section [role=status]')?.textContent).toBe('You left.Undo');

  // Ctrl+Z works in every moment, also right after the dialog has closed.
  renderScreen({ hasRoom: true, hasDialog: true });
  act(() => void dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true })));
  expect(run).toHaveBeenCalledOnce();
});

test('A notice that an action shows stays after the notice of the action has closed [LAYOUT-101]', () => {
  render();
  const run = () => notify({ text: 'It was undone.' });
  act(() => notify({ text: 'You left.', action: { label: 'Undo', run } }));

  act(() => findButton('Undo').click());

  expect(findNotice()?.textContent).toBe('It was undone.');
});

test('A notice is in the open room, and stays if the room closes [LAYOUT-101]', () => {
  render({ hasRoom: true });

  act(() => notify({ text: 'You left CS 146.' }));

  expect(document.querySelector('section')?.textContent).toBe('You left CS 146.');
  render();
  expect(findNotice()?.textContent).toBe('You left CS 146.');
});
