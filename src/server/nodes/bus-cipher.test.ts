import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createBusCipher } from './bus-cipher.ts';

const createKeys = (byte: number) => ({
  channels: createSecretKey(Buffer.alloc(32, byte)),
  messages: createSecretKey(Buffer.alloc(32, byte + 1)),
});
const text = Buffer.from('said in the class');

test('nodes with one key and one database understand each other [NODE-5]', () => {
  const one = createBusCipher(createKeys(1), 'epoch');
  const other = createBusCipher(createKeys(1), 'epoch');
  const channel = one.toChannel('class A');
  expect(other.toChannel('class A')).toBe(channel);
  const sealed = one.seal(channel, [text.subarray(0, 4), text.subarray(4)]);
  expect(sealed.includes('said')).toBe(false);
  expect(other.open(channel, sealed)).toEqual(text);
  expect([one.isOwn(sealed), other.isOwn(sealed)]).toEqual([true, false]);
  // Equal messages look different, from one sender and from two.
  expect(one.seal(channel, [text]).subarray(24)).not.toEqual(
    one.seal(channel, [text]).subarray(24),
  );
  expect(one.seal(channel, [text]).subarray(24)).not.toEqual(
    other.seal(channel, [text]).subarray(24),
  );
});

test('what was changed, or sealed for another channel, key or database, is rejected [NODE-5]', () => {
  const cipher = createBusCipher(createKeys(1), 'epoch');
  const channel = cipher.toChannel('class A');
  const sealed = cipher.seal(channel, [text]);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(cipher.open(channel, changed)).toBe(null);
    expect(cipher.open(channel, sealed.subarray(0, at))).toBe(null);
  }
  expect(cipher.open(cipher.toChannel('class B'), sealed)).toBe(null);
  for (const stranger of [
    createBusCipher(createKeys(3), 'epoch'),
    createBusCipher(createKeys(1), 'other'),
  ]) {
    expect(stranger.toChannel('class A')).not.toBe(channel);
    expect(stranger.open(channel, sealed)).toBe(null);
  }
});
