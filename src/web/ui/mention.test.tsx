import { act } from 'react';
import { expect, test } from 'vitest';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { Mention, MentionProvider } from './mention.tsx';

const { root, container } = setUpRoot();

const createPersona = (memberId: string, anonymousName: string, icon: string) =>
  [memberId, { memberId, anonymousName, icon }] as const;

test('the mention of a member who looks like another one has the tag [PERSONA-35]', () => {
  const personas = new Map([
    createPersona('ben', 'Anonymous', 'same'),
    createPersona('cem', 'Anonymous', 'other'),
    createPersona('dan', 'Anonymous', 'same'),
    createPersona('eve', 'Calm Owl', 'same'),
  ]);

  act(() =>
    root.render(
      <MentionProvider view={{ personas, me: 'ada', staff: null }}>
        {[...personas.keys()].map((memberId) => (
          <Mention key={memberId} memberId={memberId} />
        ))}
      </MentionProvider>,
    ),
  );

  expect([...container.querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^@Anonymous [A-Z]\d$/),
    '@Anonymous',
    expect.stringMatching(/^@Anonymous [A-Z]\d$/),
    '@Calm Owl',
  ]);
});
