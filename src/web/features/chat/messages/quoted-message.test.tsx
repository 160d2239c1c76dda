import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { QuotedMessage, QuoteLine } from './quoted-message.tsx';

test.each([
  ['combining marks', 'e\u0301'],
  ['an emoji of several characters', '👩🏽‍🚀'],
  ['a Devanagari syllable', 'नि'],
])(
  'a narrow room cuts the name in a quote after ten whole letters if they are %s [LAYOUT-121]',
  (_, letter) => {
    const persona = { memberId: 'ben', anonymousName: letter.repeat(12), icon: 'ben' };

    const html = renderToStaticMarkup(<QuoteLine memberId="ben" persona={persona} text="Hello" />);

    const container = document.createElement('div');
    container.innerHTML = html;
    expect(container.querySelector('[class*=rest]')?.textContent).toBe(letter.repeat(2));
  },
);

test('a quote separates the text from the pictures [PIC-78]', () => {
  const quoted = { id: '1', memberId: 'ben', anonymousName: 'Ben', text: 'Today', imageCount: 4 };

  const html = renderToStaticMarkup(
    <QuotedMessage
      quoted={quoted}
      persona={undefined}
      isIgnored={false}
      tabIndex={0}
      onJumpTo={() => undefined}
    />,
  );

  expect(html).toContain('Today · 4 pictures');
});
