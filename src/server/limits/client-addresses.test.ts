import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import { createClientAddresses, forwardedAddress, networkOf } from './client-addresses.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s [LIMIT-29]', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['198.51.100.1, 192.0.2.7', 0, null],
  ['198.51.100.1, 192.0.2.7', 1, '192.0.2.7'],
  ['198.51.100.1, 192.0.2.7', 2, '198.51.100.1'],
  ['203.0.113.9, 198.51.100.1, 192.0.2.7', 2, '198.51.100.1'],
  ['192.0.2.7', 2, '192.0.2.7'],
  ['198.51.100.1,[2001:db8::1]:4711', 1, '2001:db8::1'],
  ['192.0.2.7:4711', 1, '192.0.2.7'],
  ['nobody', 1, null],
  ['', 1, null],
])('of "%s" and %i proxies of ours %s is believed [CONF-13]', (header, proxies, address) => {
  expect(forwardedAddress(header, proxies)).toBe(address);
});

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

test('a key is no address, and means nothing to another process [ANON-4, LIMIT-28]', () => {
  const [one, other] = [createClientAddresses(0), createClientAddresses(0)];
  const key = one.keyOf(from('192.0.2.7'));
  expect(key).toMatch(/^[\w-]{22}$/);
  expect(one.keyOf(from('192.0.2.7'))).toBe(key);
  expect(one.keyOf(from('192.0.2.8'))).not.toBe(key);
  expect(other.keyOf(from('192.0.2.7'))).not.toBe(key);
});

test('who says something in X-Forwarded-For that is not believed is told of once [CONF-13]', () => {
  const onUntrusted = vi.fn<() => void>();
  const addresses = createClientAddresses(0, onUntrusted);
  const plain = addresses.keyOf(from('192.0.2.7'));
  expect(addresses.keyOf(from('192.0.2.7', '198.51.100.1'))).toBe(plain);
  addresses.keyOf(from('192.0.2.7', '198.51.100.2'));
  expect(onUntrusted).toHaveBeenCalledTimes(1);
});
