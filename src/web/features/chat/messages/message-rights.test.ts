import { expect, test } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { toMessageRights } from './message-rights.ts';

const now = 1_000_000;
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
  const rights = toMessageRights(view, false, now);
  expect(['ada', 'staff', 'ben'].map((id) => rights.mayEdit(createMessage(id)))).toEqual([
    true,
    true,
    false,
  ]);
  const endedRights = toMessageRights(view, true, now);
  expect(endedRights.me).toBeNull();
  expect(endedRights.canSend).toBe(false);
  expect(['ada', 'staff', 'ben'].map((id) => endedRights.mayEdit(createMessage(id)))).toEqual([
    false,
    false,
    false,
  ]);
});

test('A sanction on the anonymous persona leaves the messages of the staff persona as they are', () => {
  const rights = toMessageRights({ ...view, sanction: mute }, false, now);
  expect(rights.canSend).toBe(false);
  expect(['ada', 'staff'].map((id) => rights.mayEdit(createMessage(id)))).toEqual([false, true]);
});

test('A member cannot edit a question of a lecture whose new questions wait, until the lecture is over [LECT-83]', () => {
  const lecture = {
    lectureId: 'lecture',
    firstSeq: 0,
    lastSeq: null,
    lastsUntil: now + 1,
    holdsQuestions: true as const,
  };
  const heldView = { ...view, settings: { ...defaultClassSettings, lecture } };
  const question = { votes: 0, answer: null, endorsed: null };
  const mayEdit = (time: number, message: Partial<RoomMessage>) =>
    toMessageRights(heldView, false, time).mayEdit({
      ...createMessage('ada'),
      createdAt: now,
      ...message,
    });

  expect(mayEdit(now, { question })).toBe(false);
  expect(mayEdit(now, { question, seq: null })).toBe(true);
  expect(mayEdit(now, {})).toBe(true);
  expect(mayEdit(now, { question, memberId: 'staff' })).toBe(true);
  expect(mayEdit(now + 1, { question })).toBe(true);
});
