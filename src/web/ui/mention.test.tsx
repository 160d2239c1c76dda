import { act } from 'react';
import { expect, test } from 'vitest';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { Mention, MentionProvider } from './mention.tsx';

const { root, container } = setUpRoot();

const createPersona = (memberId: string, anonymousName: string, icon: string) =>
  [memberId, { memberId, anonymousName, icon }] as const;

test('a mention has the name of the tile, and the tag if another member has the same tile [PERSONA-31]', () => {
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
    '@Olive Square W4',
    '@Jade Disc',
    '@Olive Square U7',
    '@Calm Owl',
  ]);
});
