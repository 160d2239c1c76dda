import { algoliasearch } from 'algoliasearch';
import { liteClient } from 'algoliasearch/lite';
import { expect, it } from 'vitest';
import { createSecuredKey, listBrowserHosts } from './hosted-index.ts';

it('names the hosts that Algolia’s client asks, and no others [SEARCH-60]', () => {
  const { hosts } = liteClient('TESTAPP123', 'key').transporter;
  const read = hosts.filter(({ accept }) => accept !== 'write');
  const urls = read.map(({ protocol, url }) => new URL(`${protocol}://${url}`).origin);
  expect(urls.toSorted()).toEqual(listBrowserHosts('TESTAPP123').toSorted());
});

it('is the key that Algolia’s own client makes [SEARCH-59]', () => {
  const restrictions = { validUntil: 1_800_000_000, restrictIndices: 'classSearch' };
  const client = algoliasearch('APPLICATION', 'some search key') as unknown as {
    generateSecuredApiKey(options: { parentApiKey: string; restrictions: object }): string;
  };
  expect(createSecuredKey('some search key', restrictions)).toBe(
    client.generateSecuredApiKey({ parentApiKey: 'some search key', restrictions }),
  );
});
