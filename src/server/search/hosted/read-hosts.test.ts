import { liteClient } from 'algoliasearch/lite';
import { expect, it } from 'vitest';
import { readHosts } from './read-hosts.ts';

it('names the hosts that Algolia’s client asks, and no others [SEARCH-60]', () => {
  const { hosts } = liteClient('TESTAPP123', 'key').transporter;
  const read = hosts.filter(({ accept }) => accept !== 'write');
  const urls = read.map(({ protocol, url }) => new URL(`${protocol}://${url}`).origin);
  expect(urls.toSorted()).toEqual(readHosts('TESTAPP123').toSorted());
});
