import { expect, it } from 'vitest';
import { splitLinks } from './message-links.ts';

const links = (text: string) => splitLinks(text).flatMap(({ href }) => href ?? []);

it('leaves what ends the sentence outside of the link', () => {
  expect(links('See https://a.example/x_(y). (Or http://b.example/?q=1!)')).toEqual([
    'https://a.example/x_(y)',
    'http://b.example/?q=1',
  ]);
});

it('makes nothing but web addresses a link', () => {
  expect(links('javascript:alert(1) data:text/html,x ftp://a.example https:// http://')).toEqual(
    [],
  );
});

it('loses no character of the text', () => {
  const text = 'a https://a.example, b\n\nhttps://[ c';
  expect(
    splitLinks(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
});
