import { algoliasearch } from 'algoliasearch';
import { expect, it } from 'vitest';
import { securedKey } from './secured-key.ts';

it('is the key that Algolia’s own client makes [SEARCH-59]', () => {
  const restrictions = { validUntil: 1_800_000_000, restrictIndices: 'classSearch' };
  const client = algoliasearch('APPLICATION', 'some search key') as unknown as {
    generateSecuredApiKey(options: { parentApiKey: string; restrictions: object }): string;
  };
  expect(securedKey('some search key', restrictions)).toBe(
    client.generateSecuredApiKey({ parentApiKey: 'some search key', restrictions }),
  );
});
