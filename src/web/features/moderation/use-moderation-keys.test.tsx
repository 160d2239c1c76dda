import { act } from 'react';
import { expect, test, vi } from 'vitest';
import { changeSetting } from '#web/data/settings.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { useModerationKeys } from './use-moderation-keys.ts';

const { root } = setUpRoot();

test('A digit or a letter does nothing if the profile has turned such shortcuts off, and Esc still works [KEY-1, MOD-53]', async () => {
  const actions = {
    step: vi.fn<(offset: 1 | -1) => void>(),
    choose: vi.fn<(key: number) => void>(),
    undo: vi.fn<() => void>(),
    close: vi.fn<() => void>(),
  };
  function Desk() {
    useModerationKeys(actions);
    return null;
  }
  await act(async () => root.render(<Desk />));
  const press = (key: string) =>
    act(() => void window.dispatchEvent(new KeyboardEvent('keydown', { key })));
  press('2');
  act(() => changeSetting('characterKeys', 'off'));

  for (const key of ['1', 'j', 'k', 'u', 'Escape']) press(key);

  expect(actions.choose.mock.calls).toEqual([[2]]);
  expect(actions.step).not.toHaveBeenCalled();
  expect(actions.undo).not.toHaveBeenCalled();
  expect(actions.close).toHaveBeenCalledOnce();
  act(() => changeSetting('characterKeys', 'on'));
});
