// Texts of messages with every kind of markup, and with mentions.
import { useEffect } from 'react';
import { toMentionToken } from '#contract/mentions.ts';
import { MentionProvider } from '#web/ui/mention.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { loadMarkup } from '#web/markup/message-markup.ts';
import { PlainText } from '#web/ui/plain-text.tsx';
import styles from './ui-page.module.css';

const me = 'sample-member-me';
const other = 'sample-member-02';
const personas = new Map(
  [
    { memberId: me, anonymousName: 'Quiet Heron', icon: 'a' },
    { memberId: other, anonymousName: 'Búho', icon: 'b' },
  ].map((persona) => [persona.memberId, persona]),
);

const texts = [
  '**bold** *italic* ~~struck~~ `inline code` https://a.example/x [a link](https://a.example)',
  '# Large\n## Medium\n### Small\n- a list\n  - nested\n1. first\n2. second',
  '> a quote of two\n> lines\nand a reply',
  '```python\ndef area(radius):\n    return 3.14 * radius ** 2  # a comment\n```',
  '| Name | Points |\n|---|--:|\n| AVL tree | 10 |\n| Heap | 8 |',
  'Euler: $e^{i\\pi} + 1 = 0$, and a mistake: $\\wrong{x}$\n$$\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$$',
  `${toMentionToken(me)} and ${toMentionToken(other)}, and one who left: ${toMentionToken('sample-member-03')}`,
  '[https://bank.example](https://evil.example) shows where it leads.',
  '🎉 🦉',
];

export function Messages() {
  useEffect(loadMarkup, []);
  return (
    <MentionProvider view={{ personas, me, staff: null }}>
      {texts.map((text) => (
        <div className={styles.message} key={text}>
          <MessageText text={text} tabIndex={0} />
        </div>
      ))}
      <PlainText text={texts.join(' ')} names={personas} className={styles.message} />
    </MentionProvider>
  );
}
