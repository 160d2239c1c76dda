// The line that tells a member of a role as staff.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { expect, test } from 'vitest';
import { classesKey, meKey } from '#web/data/query-keys.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { StaffNews } from './staff-news.tsx';

const { root, container } = setUpRoot();

function ShownPath() {
  const { pathname, state } = useLocation();
  return <output>{JSON.stringify([pathname, (state as { panel?: object } | null)?.panel])}</output>;
}

test('Who becomes staff of a class is told once, and is led to its lecture [STAFF-28]', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const account = { key: 'key', roles: [{ role: 'staff', classId: 'class' }] };
  client.setQueryData(meKey, { account });
  const labels = { subjectAbbreviation: 'cs', courseNumber: '146' };
  const classes = ['class', 'other'].map((classId) => ({ ...labels, classId }));
  client.setQueryData(classesKey, { classes });
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <MemoryRouter>
          <StaffNews />
          <ShownPath />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
  expect(container.textContent).toContain('You are staff of CS 146 now');

  await act(async () => container.querySelector('button')?.click());

  expect(container.textContent).not.toContain('You are staff');
  expect(container.querySelector('output')?.textContent).toBe(
    JSON.stringify(['/home/class', { kind: 'questions', tab: 'lecture' }]),
  );
});
