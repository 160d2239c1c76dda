import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { clockChanges } from '#tests/support/university.ts';
import { DayHeading } from './day-heading.tsx';

const ownTimeZone = process.env['TZ'];
afterEach(() => {
  if (ownTimeZone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ownTimeZone;
});

const honolulu = { timeZone: 'Pacific/Honolulu', time: '2026-11-25T09:30:00Z', hours: 0 };

test.each([...clockChanges, honolulu])(
  'near the clock change of $hours h in $timeZone, the picker starts each day at local midnight',
  ({ timeZone, time: changeTime }) => {
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    process.env['TZ'] = timeZone;
    const formatDay = new Intl.DateTimeFormat('sv-SE', { timeZone }).format;

    for (const hour of [-24, -1, 0, 1, 24]) {
      const time = Date.parse(changeTime) + hour * 3_600_000;
      const onPickDay = vi.fn<(time: number) => void>();
      const container = document.createElement('div');
      const root = createRoot(container);
      act(() =>
        root.render(
          <DayHeading timestamp={time} className="" tabIndex={0} onPickDay={onPickDay} />,
        ),
      );
      const picker = container.querySelector('input')!;
      expect(picker.value).toBe(formatDay(time));

      act(() => pick(picker, '2026-01-01'));
      act(() => pick(picker, formatDay(time)));

      const start = onPickDay.mock.calls.at(-1)![0];
      expect(formatDay(start)).toBe(formatDay(time));
      expect(formatDay(start - 1)).not.toBe(formatDay(time));
      act(() => root.unmount());
    }
  },
);

/** Picks a day as the browser does. React ignores a value that was set with its own setter. */
function pick(picker: HTMLInputElement, day: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(picker, day);
  picker.dispatchEvent(new Event('input', { bubbles: true }));
}
