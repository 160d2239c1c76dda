import { act } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';

const { root, container } = setUpRoot();

afterEach(() => {
  vi.resetModules();
  document.head.innerHTML = '';
  document.documentElement.lang = '';
});

test('the choice of a language shows each by its own name, and says if no native speaker has checked it [LAYOUT-128]', async () => {
  vi.resetModules();
  document.documentElement.lang = 'de';
  document.head.innerHTML =
    '<meta name="languages" content="en,de,pt-BR"><meta name="unchecked-languages" content="de">';
  const { LanguageChoice } = await import('./language-choice.tsx');

  await act(async () => root.render(<LanguageChoice isSignedIn={false} />));

  const names = [...container.querySelectorAll('option')].map(({ textContent }) => textContent);
  expect(names).toEqual(['English', 'Deutsch', 'Português (Brasil)']);
  expect(container.querySelector('select')?.value).toBe('de');
  expect(container.textContent).toContain('No native speaker has checked this translation yet.');
});
