import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Emoji } from '#contract/emojis.ts';
import type { Persona } from '#contract/entities.ts';
import type { Room } from '#web/sync/room/room.ts';
import { MentionProvider } from '#web/ui/mention.tsx';
import { ReactionChips } from './reaction-chips.tsx';

beforeEach(() => void vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));
afterEach(() => {
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const personas: readonly Persona[] = [
  { memberId: 'ada', anonymousName: 'Quiet Fox', icon: 'a' },
  { memberId: 'ben', anonymousName: 'Calm Owl', icon: 'b' },
  { memberId: 'tutor', anonymousName: 'Dr. Lee', icon: 'c', staff: true },
];

/** The chips as screen readers name them to Cem. */
function listLabels(reactions: Readonly<Record<string, Emoji>>, selector: string): string[] {
  const view = {
    personas: new Map(personas.map((persona) => [persona.memberId, persona])),
    me: 'cem',
    staff: null,
  };
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  act(() =>
    root.render(
      <MentionProvider view={view}>
        <ReactionChips
          classId="class"
          room={{} as Room}
          reactions={reactions}
          me="cem"
          onToggle={selector === 'button' ? () => undefined : null}
          tabIndex={0}
          openReaction={null}
          onOpen={() => undefined}
        />
      </MentionProvider>,
    ),
  );
  const labels = [...container.querySelectorAll(selector)].map(
    (chip) => chip.getAttribute('aria-label') ?? '',
  );
  act(() => root.unmount());
  return labels;
}

test('a count of reactions names you first and at most three members, also on an own message [REACT-9]', () => {
  const reactions = { ada: '👍', stranger: '👎', tutor: '👍', cem: '👍' } as const;
  const labels = ['Thumbs up: 3. You, Quiet Fox, and Dr. Lee (Staff)', 'Thumbs down: 1. Anonymous'];

  expect(listLabels(reactions, 'button')).toEqual(labels);
  expect(listLabels(reactions, 'span[role=img]')).toEqual(labels);
});

test('a count of many reactions says how many more members there are [REACT-9]', () => {
  const ids = ['ada', 'ben', 'tutor', 'cem'];

  expect(listLabels(Object.fromEntries(ids.map((id) => [id, '❤️' as const])), 'button')).toEqual([
    'Heart: 4. You, Quiet Fox, Calm Owl, and Dr. Lee (Staff)',
  ]);
  expect(
    listLabels(Object.fromEntries([...ids, 'x'].map((id) => [id, '❤️' as const])), 'button'),
  ).toEqual(['Heart: 5. You, Quiet Fox, Calm Owl, and 2 others']);
});
