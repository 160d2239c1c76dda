import { expect, test } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { toChatState } from './chat-state.ts';

const view = {
  state: 'ready',
  messages: [],
  speaker: 'self',
  staff: null,
  sanction: null,
  settings: defaultClassSettings,
  quietTime: null,
} as unknown as RoomView;
const withMessage = { ...view, messages: [{ id: 'message' }] } as unknown as RoomView;
const online = {
  ended: false,
  connection: 'online',
  hasNetwork: true,
  isAwaitingMarkup: false,
} as const;
const removal = { kind: 'removed', until: null, reason: 'Threats.' } as const;

test('A room without messages is loading until it is ready, and then empty [LAYOUT-8]', () => {
  expect(toChatState({ ...view, state: 'loading' }, online).content).toBe('loading');
  expect(toChatState(view, online).content).toBe('empty');
});

test('A room that is loading shows the messages it has, but not before their markup can be shown [LAYOUT-8]', () => {
  const loading: RoomView = { ...withMessage, state: 'loading' };

  expect(toChatState(loading, online).content).toBe('messages');
  expect(toChatState(loading, { ...online, isAwaitingMarkup: true }).content).toBe('loading');
});

test('Without a connection, a room of which nothing is kept does not look as if it were loading or new [OFFLINE-2]', () => {
  const offline = { ...online, hasNetwork: false };

  expect(toChatState({ ...view, state: 'loading' }, offline).content).toBe('notKept');
  expect(toChatState(view, offline).content).toBe('empty');
  expect(toChatState({ ...view, state: 'gone' }, offline).content).toBe('loading');
});

test('A removed member sees the reason, and no composer [MOD-22]', () => {
  const state = toChatState({ ...view, state: 'gone', sanction: removal }, online);

  expect(state).toMatchObject({ content: 'blank', closed: true, ended: true, isRemoved: true });
  expect(state.sanction).toEqual(removal);
});

test('A room is closed in a read-only class, in a quiet time and after the term, and open otherwise [CHAT-18, CSET-15, CSET-34]', () => {
  const readOnly = { ...view, settings: { ...defaultClassSettings, readOnly: true } };
  const quiet = { ...view, quietTime: { until: 0, sentence: 'The exam is running' } };

  expect(toChatState(view, online)).toMatchObject({ closed: false, ended: false });
  expect(toChatState(readOnly, online)).toMatchObject({ closed: true, ended: false });
  expect(toChatState(quiet, online)).toMatchObject({ closed: true, ended: false });
  expect(toChatState(view, { ...online, ended: true })).toMatchObject({
    closed: true,
    ended: true,
  });
});

test('A browser without a network is offline, and not blocked [CHAT-13, WIRE-27]', () => {
  const blocked = { ...online, connection: 'blocked' } as const;

  expect(toChatState(view, blocked)).toMatchObject({ offline: false, blocked: true });
  expect(toChatState(view, { ...blocked, hasNetwork: false })).toMatchObject({
    offline: true,
    blocked: false,
  });
});
