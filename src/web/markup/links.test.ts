import { expect, it } from 'vitest';
import { findTargetToShow } from './link-hosts.ts';
import { findBareAddress, parseLinkTarget } from './links.ts';

function listAddresses(text: string): string[] {
  const addresses: string[] = [];
  for (let offset = 0; offset < text.length;) {
    const address = findBareAddress(text, offset, () => false);
    if (address) addresses.push(address);
    offset += address.length || 1;
  }
  return addresses;
}

it('a link does not include the punctuation that ends its sentence [MARKUP-5]', () => {
  expect(
    listAddresses(
      'See https://a.example/x_(y). (Or http://b.example/?q=1!) www.c.example, d@e.example?',
    ),
  ).toEqual(['https://a.example/x_(y)', 'http://b.example/?q=1', 'www.c.example', 'd@e.example']);
});

it('a mail address with an apostrophe is one link [MARKUP-5]', () => {
  expect(
    listAddresses("ask mary.o'neil-d'arcy@uni.example, 'a@b.example' or o''c@d.example"),
  ).toEqual(["mary.o'neil-d'arcy@uni.example", 'a@b.example', 'c@d.example']);
});

it('only web and mail addresses become links [MARKUP-5]', () => {
  const otherText =
    'javascript:alert(1) data:text/html,x vbscript:x ftp://a.example https:// http:// www. a@b @c';
  expect(listAddresses(otherText)).toEqual([]);
  for (const address of [
    ...otherText.split(' '),
    '/home',
    'mailto:a@b@c',
    'java\nscript:x',
    '//a.b',
  ]) {
    expect(parseLinkTarget(address)).toBeNull();
  }
});

it('a link ends at direction controls and at Markdown symbols around it [MARKUP-5]', () => {
  expect(
    listAddresses('https://a.example/\u2066moc https://b.example/** https://c.example~~'),
  ).toEqual(['https://a.example/', 'https://b.example/', 'https://c.example']);
});

it.each<[string, string, string | null]>([
  ['https://university.edu/a?b=c.d', 'https://university.edu/a?b=c.d', null],
  ['university.edu/slides.pdf', 'https://www.university.edu/slides.pdf', null],
  ['the slides, v1.2', 'https://university.edu/', null],
  ['https://google.com', 'https://evil.example/', 'evil.example'],
  ['see google.com, please', 'https://evil.example/', 'evil.example'],
  ['https://google.com@evil.example/', 'https://google.com@evil.example/', 'evil.example'],
  ['https://google.com\\@evil.example', 'https://evil.example/', 'evil.example'],
  ['https://аpple.com', 'https://аpple.com', 'xn--pple-43d.com'],
  ['goo\u200bgle.com', 'https://evil.example/', 'evil.example'],
  ['ｇoogle．com', 'https://evil.example/', 'evil.example'],
  ['http://2130706433/', 'http://2130706433/', '127.0.0.1'],
  ['8.8.8.8', 'https://evil.example/', 'evil.example'],
  ['dean@university.edu', 'mailto:x@evil.example', 'x@evil.example'],
  ['x@university.edu', 'mailto:x@university.edu', null],
  ['w'.repeat(400), 'https://evil.example/', 'evil.example'],
  ['dean@university.edu.', 'mailto:dean@university.edu', null],
  ['university.edu/a/b.html', 'https://university.edu/', null],
  ['x/google.com', 'https://evil.example/', 'evil.example'],
  ...[
    ...['google.com∕login', 'google.com⧸login', 'google.com|login', 'google.com:x', 'google.com_'],
    ...['google.com=', 'google.com»', 'google.com’s', 'google.com😀', '1.1.1.1:x', '(google.com)'],
    ...['google.com\u2800', 'google.com\ufe0f', 'google.com\u034f', 'google.com\u0338'],
    ...['google。com', 'google·com', 'google‧com', 'googleꓸcom', 'google٠com', '→google.com←'],
  ].map((text): [string, string, string] => [text, 'https://evil.example/', 'evil.example']),
])('a link with the text %j to %j shows the host %s [MARKUP-6]', (text, address, host) => {
  expect(findTargetToShow(text, new URL(address))).toBe(host);
});

it('a mail link keeps only its address [MARKUP-5]', () => {
  expect(parseLinkTarget('mailto:a@b.example?bcc=spy@evil.example&body=hello')?.href).toBe(
    'mailto:a@b.example',
  );
});

it('the time to find addresses grows linearly with the length of the text', () => {
  // A quadratic algorithm would run for hours on these texts.
  expect(
    listAddresses(`https://a.example/${'('.repeat(200_000)}${')'.repeat(500_000)}`)[0],
  ).toHaveLength('https://a.example/'.length + 400_000);
  expect(listAddresses('http://^'.repeat(100_000))).toEqual([]);
});
