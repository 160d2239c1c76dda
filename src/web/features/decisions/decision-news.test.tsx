// The line that tells a member of decisions, and the dialog that shows them.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { setUpRoot, waitForRender } from '#web/ui/testing/set-up-root.ts';

const { root } = setUpRoot();
beforeEach(() => localStorage.clear());

const createDecision = (decisionId: string, kind: string, reason: string | null = null) => {
  return { decisionId, classId: 'class', label: 'CS 1', kind, reason };
};

let pageCount = 0;

/** Renders the line on a new page, which loads the code again, with what the server has answered, if it has. */
async function render(decisions?: readonly object[]): Promise<void> {
  vi.resetModules();
  pageCount += 1;
  const { DecisionNews } = await import('./decision-news.tsx');
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  if (decisions) client.setQueryData(['own-decisions'], { decisions });
  await act(async () =>
    root.render(
      <QueryClientProvider key={pageCount} client={client}>
        <MemoryRouter>
          <DecisionNews />
        </MemoryRouter>
      </QueryClientProvider>,
    ),
  );
}

const findButton = (name: string) =>
  [...document.querySelectorAll('button')].find(
    (button) => (button.getAttribute('aria-label') ?? button.textContent) === name,
  );
const click = (name: string) => act(async () => findButton(name)?.click());

test('A decision is news until the member has seen it, also on the next page [MOD-103]', async () => {
  await render([createDecision('first', 'report-removed')]);

  // The line is on the screen when others look at it.
  expect(document.body.textContent).not.toMatch(/report|CS 1/);
  await click('Show');
  expect(document.querySelector('dialog')?.textContent).toContain(
    'A moderator removed the message that you reported.',
  );
  expect(document.querySelector('dialog')?.textContent).toContain('CS 1');
  await click('Close');

  expect(findButton('Show')).toBeUndefined();
  await render([createDecision('first', 'report-removed')]);
  expect(findButton('Show')).toBeUndefined();
  await render([
    createDecision('first', 'report-removed'),
    createDecision('second', 'appeal-kept'),
  ]);
  await click('Show');
  expect(document.querySelectorAll('dialog li')).toHaveLength(1);
});

test('A member dismisses the line, and this browser does not show it again [MOD-104]', async () => {
  await render([createDecision('first', 'report-removed')]);

  await click('Dismiss');

  expect(document.body.textContent).toBe('');
  await render([createDecision('first', 'report-removed')]);
  expect(document.body.textContent).toBe('');
});

test('What was decided before the sign-in is no news [MOD-104]', async () => {
  const decisions = [createDecision('first', 'report-removed')];
  vi.stubGlobal('fetch', async () => Response.json({ decisions }));
  await render();
  await waitForRender(() => expect(localStorage.getItem('seen-decisions')).toBe('first'));
  expect(findButton('Show')).toBeUndefined();

  decisions.push(createDecision('second', 'appeal-kept'));
  await render();

  await waitForRender(() => expect(findButton('Show')).toBeDefined());
});

test('The author of a removed message reads the reason, and the line does not say it [MOD-110]', async () => {
  await render([createDecision('first', 'message-removed', 'Insults are not allowed')]);
  expect(document.body.textContent).not.toMatch(/removed|Insults/);

  await click('Show');

  expect(document.querySelector('dialog')?.textContent).toContain(
    'A moderator removed your message. The reason:Insults are not allowed',
  );
});

test('Without decisions there is no line [MOD-103]', async () => {
  await render([]);

  expect(document.body.textContent).toBe('');
});

test('The reason for a removed message is news after a sign-in, too [MOD-104]', async () => {
  const decisions = [createDecision('first', 'message-removed', 'Insults are not allowed')];
  vi.stubGlobal('fetch', async () => Response.json({ decisions }));

  await render();

  await waitForRender(() => expect(findButton('Show')).toBeDefined());
});
