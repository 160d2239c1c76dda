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

test('the line of a lecture goes at its end by the clock of the server [LECT-50]', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  // The clock of the device is an hour ahead.
  const room = {
    subscribe: () => () => undefined,
    getSnapshot: () => view,
    serverNow: () => Date.now() - 60 * minuteMs,
  } as unknown as Room;
  const lecture = {
    lectureId: 'lecture',
    firstSeq: 0,
    lastSeq: null,
    lastsUntil: room.serverNow() + minuteMs,
  };
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <LectureStrip classId="class" room={room} lecture={lecture} onOpen={() => undefined} />
      </QueryClientProvider>,
    ),
  );
  expect(container.textContent).toContain('Lecture until');

  await act(() => vi.advanceTimersByTimeAsync(minuteMs));

  expect(container.textContent).toBe('');
});
