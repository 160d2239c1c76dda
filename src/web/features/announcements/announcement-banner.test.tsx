// The announcements that a page shows before and after the server has sent those in force.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, test } from 'vitest';
import { classesKey } from '#web/data/query-keys.ts';
import { createStore } from '#web/store.ts';
import type { Announcements } from '#web/sync/room/room.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { AnnouncementBanner } from './announcement-banner.tsx';

const hourMs = 3_600_000;
const label = { subjectAbbreviation: 'cs', courseNumber: '1' };

const { root } = setUpRoot();
beforeEach(() => localStorage.clear());

const announce = (text: string, endsInMs = hourMs) => [
  { announcementId: text, text, endsInMs, endsAt: Date.now() + endsInMs },
];

/** Shows the room `open` to a member of the class `open` alone. @returns what the server sends */
function render() {
  const sentAnnouncements = createStore<Announcements>({});
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(classesKey, { classes: [{ classId: 'open', ...label }] });
  act(() =>
    root.render(
      <QueryClientProvider client={client}>
        <MemoryRouter initialEntries={['/home/open']}>
          <AnnouncementBanner live={{ announcements: sentAnnouncements }} />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
  return sentAnnouncements;
}

const listTexts = () =>
  [...document.querySelectorAll('section p[dir]')].map(({ textContent }) => textContent);
const loadKnown = () => JSON.parse(localStorage.getItem('announcements') ?? '{}') as Announcements;

test('A page shows what the last page knew, without those that have ended and those of other classes [ADMIN-78]', () => {
  localStorage.setItem(
    'announcements',
    JSON.stringify({
      '': [...announce('For everyone'), ...announce('Ended', -1)],
      open: announce('For the class'),
      left: announce('For a class that the member left'),
    }),
  );

  render();

  expect(listTexts()).toEqual(['For the class', 'For everyone']);
  expect(Object.keys(loadKnown())).toEqual(['', 'open']);
});

test('The banner of a read-only site says until when, on the clock of the device [ADMIN-90]', () => {
  const end = new Date('2027-03-01T18:00').getTime();
  const [maintenance] = announce('We move the server.', end - Date.now());
  const sentAnnouncements = render();

  act(() => sentAnnouncements.set({ '': [{ ...maintenance!, isMaintenance: true }] }));

  expect(document.querySelector('section')?.textContent).toMatch(
    /^Read-only until March 1, 2027, 6:00\sPMWe move the server\./,
  );
});

test('What the server sends replaces what the last page knew [ADMIN-78]', () => {
  localStorage.setItem(
    'announcements',
    JSON.stringify({ '': announce('Withdrawn meanwhile'), open: announce('For the class') }),
  );
  const sentAnnouncements = render();

  act(() => sentAnnouncements.set({ '': undefined }));
  expect(listTexts()).toEqual(['For the class']);
  act(() => sentAnnouncements.set({ '': announce('New'), open: undefined }));

  expect(listTexts()).toEqual(['New']);
  expect(loadKnown()['']?.map(({ text }) => text)).toEqual(['New']);
  act(() => sentAnnouncements.set({ '': undefined, open: undefined }));
  expect(localStorage.getItem('announcements')).toBeNull();
});

test('A page ignores an unreadable list of known announcements [ADMIN-78]', () => {
  localStorage.setItem('announcements', '{"":');

  render();

  expect(listTexts()).toEqual([]);
});
