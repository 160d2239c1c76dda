import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createBusCipher } from './bus-cipher.ts';

const createKeys = (byte: number) => ({
  channels: createSecretKey(Buffer.alloc(32, byte)),
  messages: createSecretKey(Buffer.alloc(32, byte + 1)),
});
const text = Buffer.from('said in the class');

test('nodes with one key and one database understand each other [NODE-5]', () => {
  const firstCipher = createBusCipher(createKeys(1), 'epoch');
  const secondCipher = createBusCipher(createKeys(1), 'epoch');
  const channel = firstCipher.toChannel('class A');
  expect(secondCipher.toChannel('class A')).toBe(channel);
  const sealed = firstCipher.seal(channel, [text.subarray(0, 4), text.subarray(4)]);
  expect(sealed.includes('said')).toBe(false);
  expect(secondCipher.open(channel, sealed)).toEqual(text);
  expect([firstCipher.isOwn(sealed), secondCipher.isOwn(sealed)]).toEqual([true, false]);
  // Equal messages look different, from one sender and from two.
  expect(firstCipher.seal(channel, [text]).subarray(24)).not.toEqual(
    firstCipher.seal(channel, [text]).subarray(24),
  );
  expect(firstCipher.seal(channel, [text]).subarray(24)).not.toEqual(
    secondCipher.seal(channel, [text]).subarray(24),
  );
});

test('what was changed, or sealed for another channel, key or database, is rejected [NODE-5]', () => {
  const cipher = createBusCipher(createKeys(1), 'epoch');
  const channel = cipher.toChannel('class A');
  const sealed = cipher.seal(channel, [text]);
  for (let offset = 0; offset < sealed.length; offset++) {
    const changedMessage = Buffer.from(sealed);
    changedMessage[offset]! ^= 1;
    expect(cipher.open(channel, changedMessage)).toBe(null);
    expect(cipher.open(channel, sealed.subarray(0, offset))).toBe(null);
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
