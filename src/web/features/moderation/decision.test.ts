import { afterEach, expect, test, vi } from 'vitest';
import type { Case } from '#contract/moderation.ts';

afterEach(() => {
  document.documentElement.lang = '';
});

test('the app suggests no reason in a language that could tell who decided [LAYOUT-128]', async () => {
  const reports = [{ reason: 'harassment', count: 1 }] as unknown as Case['reports'];
  const suggest = async (language: string) => {
    document.documentElement.lang = language;
    vi.resetModules();
    const { listSuggestedReasons } = await import('./decision.ts');
    return listSuggestedReasons({ reports }, 'remove', ['As before']);
  };

  expect(await suggest('en')).toEqual(['As before', 'Harassment']);
  expect(await suggest('es')).toEqual(['As before']);
});
