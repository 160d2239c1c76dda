import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { QuotedMessage } from './quoted-message.tsx';

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
