import { describe, expect, test } from 'vitest';
import { findPushHost, knownPushHosts, parsePushHost, type PushHost } from './push-hosts.ts';

const parseHosts = (names: readonly string[]) => names.map((name) => parsePushHost(name)!);
const knownHosts = parseHosts(knownPushHosts);
const isAllowedEndpoint = (endpoint: string, hosts: readonly PushHost[]) =>
  findPushHost(endpoint, hosts) !== null;

describe('the push services that a browser may name', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/abc:def',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-by3p.notify.windows.com/w/?token=abc',
  ])(
    'the push services that a browser may name are those of the known vendors: %s [PUSH-4]',
    (endpoint) => {
      expect(isAllowedEndpoint(endpoint, knownHosts)).toBe(true);
    },
  );

  test.each([
    'http://fcm.googleapis.com/fcm/send/abc',
    'https://fcm.googleapis.com:8443/fcm/send/abc',
    'https://fcm.googleapis.com.evil.example/abc',
    'https://fcm.googleapis.com@evil.example/abc',
    'https://user:secret@fcm.googleapis.com/abc',
    'https://evilpush.apple.com/abc',
    'https://push.apple.com/abc',
    'https://127.0.0.1/abc',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/abc',
    'https://localhost/abc',
    'file:///etc/passwd',
    'not an address',
    '',
  ])('the push services that a browser may name are no others: %s [PUSH-4]', (endpoint) => {
    expect(isAllowedEndpoint(endpoint, knownHosts)).toBe(false);
  });

  test('the push services that a browser may name can be others by a setting, without https only on this machine [PUSH-4]', () => {
    const hosts = parseHosts(['Push.University.EDU:8443', 'http://127.0.0.1:9000']);
    expect(isAllowedEndpoint('https://push.university.edu:8443/a', hosts)).toBe(true);
    expect(isAllowedEndpoint('https://push.university.edu/a', hosts)).toBe(false);
    expect(isAllowedEndpoint('http://127.0.0.1:9000/a', hosts)).toBe(true);
    expect(isAllowedEndpoint('http://127.0.0.1:9001/a', hosts)).toBe(false);
    expect(isAllowedEndpoint('https://fcm.googleapis.com/a', hosts)).toBe(false);
    for (const invalidName of ['http://push.university.edu', 'a/b', '*', '', 'a b', 'ftp://a']) {
      expect(parsePushHost(invalidName), invalidName).toBeNull();
    }
  });
});
