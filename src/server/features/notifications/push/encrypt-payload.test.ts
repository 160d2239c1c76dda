import { describe, expect, test } from 'vitest';
import { encryptPayload, isPublicKey } from './encrypt-payload.ts';

// The example of RFC 8291, appendix A.
const subscription = {
  endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
  keys: {
    p256dh:
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};
const text = 'When I grow up, I want to be a watermelon';
const ephemeral = {
  privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
  salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
};

describe('an encrypted notification', () => {
  test('an encrypted notification equals the example of RFC 8291 [PUSH-20]', () => {
    const body = encryptPayload(subscription, text, text.length, ephemeral);
    expect(body.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  test('an encrypted notification has one size whatever it says, and is different each time [PUSH-20]', () => {
    const encrypt = (content: string) => encryptPayload(subscription, content, 100);
    expect(new Set(['', 'a', text].map((content) => encrypt(content).length)).size).toBe(1);
    expect(encrypt(text)).not.toEqual(encrypt(text));
    expect(() => encrypt('a'.repeat(101))).toThrow(RangeError);
  });
});

test('only a point on the curve is a public key [PUSH-3]', () => {
  const { p256dh } = subscription.keys;
  expect(isPublicKey(p256dh)).toBe(true);
  expect(isPublicKey(`${p256dh.slice(0, -2)}AA`)).toBe(false);
  expect(isPublicKey('')).toBe(false);
});
