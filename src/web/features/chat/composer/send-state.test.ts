import { expect, test } from 'vitest';
import { toDraftSpeaker } from './send-state.ts';

const persona = { memberId: 'staff', anonymousName: 'Prof. Lee', icon: 'staff' };
const staff = { persona, maySpeak: true };

test('No message of a member who may speak as staff goes out before it is visible as whom [STAFF-22]', () => {
  const asStaff = { staff, speaker: 'staff' } as const;
  expect(toDraftSpeaker({ staff: null, speaker: 'self' }, false)).toEqual({
    hasChoice: false,
    isChosen: true,
    staffName: null,
  });
  expect(toDraftSpeaker(asStaff, false).isChosen).toBe(false);
  expect(toDraftSpeaker(asStaff, true)).toEqual({
    hasChoice: true,
    isChosen: true,
    staffName: 'Prof. Lee',
  });
  expect(toDraftSpeaker({ staff, speaker: 'unset' }, true).isChosen).toBe(false);
  const former = { staff: { ...staff, maySpeak: false }, speaker: 'staff' } as const;
  expect(toDraftSpeaker(former, true)).toEqual({
    hasChoice: true,
    isChosen: false,
    staffName: null,
  });
});
