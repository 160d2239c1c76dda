import { expect, it } from 'vitest';
import { splitLinks } from './message-text.tsx';

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

it('takes as long as the text is, also for nothing but brackets', () => {
  // A quadratic algorithm would run for hours on this text.
  const text = `https://a.example/${'('.repeat(200_000)}${')'.repeat(500_000)}`;
  expect(links(text)[0]).toHaveLength('https://a.example/'.length + 400_000);
});
