// The line that says that a lecture is on.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { LectureStrip } from './lecture-strip.tsx';

const { root, container } = setUpRoot();
afterEach(() => vi.useRealTimers());

const minuteMs = 60_000;
const view: Partial<RoomView> = {
  newest: [],
  preferences: { ignored: new Set(), hidden: new Set(), muted: false },
  personas: new Map(),
};

/** The clock of the device is an hour ahead. */
const serverAheadMs = -60 * minuteMs;

/** Renders a lecture that lasts for a minute. */
async function render(serverNow: () => number): Promise<void> {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  const room = {
    subscribe: () => () => undefined,
    getSnapshot: () => view,
    serverNow,
  } as unknown as Room;
  const lecture = {
    lectureId: 'lecture',
    firstSeq: 0,
    lastSeq: null,
    lastsUntil: Date.now() + serverAheadMs + minuteMs,
  };
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <LectureStrip classId="class" room={room} lecture={lecture} onOpen={() => undefined} />
      </QueryClientProvider>,
    ),
  );
}

test('the line of a lecture goes at its end by the clock of the server [LECT-50]', async () => {
  await render(() => Date.now() + serverAheadMs);
  expect(container.textContent).toContain('Lecture until');

  await act(() => vi.advanceTimersByTimeAsync(minuteMs));

  expect(container.textContent).toBe('');
});

test('the line of a lecture comes when the time of the server becomes known [LECT-50]', async () => {
  let knownAheadMs = 0;
  await render(() => Date.now() + knownAheadMs);
  expect(container.textContent).toBe('');

  knownAheadMs = serverAheadMs;
  await act(() => vi.advanceTimersByTimeAsync(1000));

  expect(container.textContent).toContain('Lecture until');
});
