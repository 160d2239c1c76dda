import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import {
  createClientAddresses,
  findForwardedAddress,
  toSubnets,
  type ClientAddresses,
} from './client-addresses.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['fe80::1%br-lan', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s counts as %s [LIMIT-29]', (address, network) => {
  expect(toSubnets(address)[0]).toEqual({ network, limitMultiplier: 1 });
});

test('the networks around an IPv6 /64 count too, with higher limits [LIMIT-29]', () => {
  expect(toSubnets('2001:db8:1:a2b3::9')).toEqual([
    { network: '2001:db8:1:a2b3::/64', limitMultiplier: 1 },
    { network: '2001:db8:1:a200::/56', limitMultiplier: 2 },
    { network: '2001:db8:1::/48', limitMultiplier: 4 },
  ]);
  expect(toSubnets('2001:db8:1:2::9')[1]?.network).toBe('2001:db8:1:0::/56');
  expect(toSubnets('192.0.2.7')).toHaveLength(1);
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
])('reads "%s" behind %i trusted proxies as %s [CONF-13]', (header, proxies, address) => {
  expect(findForwardedAddress(header, proxies)).toBe(address);
});

function createRequest(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

const toKey = (addresses: ClientAddresses, ...request: Parameters<typeof createRequest>) =>
  addresses.getNetworks(createRequest(...request))[0].key;

test('keys do not contain the address and differ in each process [ANON-3, LIMIT-28]', () => {
  const firstAddresses = createClientAddresses(0);
  const secondAddresses = createClientAddresses(0);
  const key = toKey(firstAddresses, '192.0.2.7');
  expect(key).toMatch(/^[\w-]{22}$/);
  expect(toKey(firstAddresses, '192.0.2.7')).toBe(key);
  expect(toKey(firstAddresses, '192.0.2.8')).not.toBe(key);
  expect(toKey(secondAddresses, '192.0.2.7')).not.toBe(key);
});

test('reports an untrusted X-Forwarded-For header once [CONF-13]', () => {
  const onUntrusted = vi.fn<() => void>();
  const addresses = createClientAddresses(0, onUntrusted);
  const plain = toKey(addresses, '192.0.2.7');
  expect(toKey(addresses, '192.0.2.7', '198.51.100.1')).toBe(plain);
  toKey(addresses, '192.0.2.7', '198.51.100.2');
  expect(onUntrusted).toHaveBeenCalledTimes(1);
});
