// The notices of the app: how they end, and where they are.
import { act, useEffect } from 'react';
import { expect, test } from 'vitest';
import { NoticePlace, NoticesProvider, useNotify } from './notices.tsx';
import { setUpRoot } from './testing/set-up-root.ts';

const { root } = setUpRoot();
let notify: ReturnType<typeof useNotify>;

function Screen({ hasRoom }: { hasRoom: boolean }) {
  const show = useNotify();
  useEffect(() => {
    notify = show;
  }, [show]);
  return (
    <main id="main" tabIndex={-1}>
      {hasRoom && (
        <section>
          <NoticePlace />
        </section>
      )}
    </main>
  );
}

function render(hasRoom: boolean): void {
  act(() =>
    root.render(
      <NoticesProvider>
        <Screen hasRoom={hasRoom} />
      </NoticesProvider>,
    ),
  );
}

const findNotice = () => document.querySelector('[role=status]');
const findButton = (label: string) =>
  [...document.querySelectorAll('button')].find(
    (button) => (button.getAttribute('aria-label') ?? button.textContent) === label,
  )!;

test('A member closes a notice, and the focus of the closed button goes to the screen [LAYOUT-101]', () => {
  render(false);
  act(() => notify({ text: 'Copied.' }));
  expect(findNotice()?.textContent).toBe('Copied.');
  findButton('Close notice').focus();

  act(() => findButton('Close notice').click());

  expect(findNotice()?.textContent).toBe('');
  expect(document.activeElement?.id).toBe('main');
});

test('A notice that an action shows stays after the notice of the action has closed [LAYOUT-101]', () => {
  render(false);
  const run = () => notify({ text: 'It was undone.' });
  act(() => notify({ text: 'You left.', action: { label: 'Undo', run } }));

  act(() => findButton('Undo').click());

  expect(findNotice()?.textContent).toBe('It was undone.');
});

test('A notice is in the open room, and stays if the room closes [LAYOUT-101]', () => {
  render(true);

  act(() => notify({ text: 'You left CS 146.' }));

  expect(document.querySelector('section')?.textContent).toBe('You left CS 146.');
  render(false);
  expect(findNotice()?.textContent).toBe('You left CS 146.');
});
