import { expect, test } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { toMessageRights } from './message-rights.ts';

const persona = { memberId: 'staff', anonymousName: 'Prof. Lee', icon: 'staff' };
const mute = { kind: 'mute', until: null, reason: '' } as const;
const view = {
  me: 'ada',
  staff: { persona, maySpeak: true },
  speaker: 'self',
  sanction: null,
  settings: defaultClassSettings,
  quietTime: null,
} as unknown as RoomView;
const createMessage = (memberId: string) => ({ memberId, seq: 1 }) as RoomMessage;

test('A member edits the messages of their own two personas and no others, and none after the term', () => {
  const rights = toMessageRights(view, false);
  expect(['ada', 'staff', 'ben'].map((id) => rights.mayEdit(createMessage(id)))).toEqual([
    true,
    true,
    false,
  ]);
  const endedRights = toMessageRights(view, true);
  expect(endedRights.me).toBeNull();
  expect(endedRights.canSend).toBe(false);
  expect(['ada', 'staff', 'ben'].map((id) => endedRights.mayEdit(createMessage(id)))).toEqual([
    false,
    false,
    false,
  ]);
});

test('A sanction on the anonymous persona leaves the messages of the staff persona as they are', () => {
  const rights = toMessageRights({ ...view, sanction: mute }, false);
  expect(rights.canSend).toBe(false);
  expect(['ada', 'staff'].map((id) => rights.mayEdit(createMessage(id)))).toEqual([false, true]);
});
