import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Emoji } from '#contract/emojis.ts';
import type { Message, Persona } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import {
  applyEvents,
  markOlderRequested,
  type EventsFrame,
  fromSnapshot,
  clearOlderRequest,
  type LogReplica,
  markRead,
  prependOlder,
  type SnapshotFrame,
} from './log-replica.ts';

// The reference model: builds the server's view of a class only from the history of events.

type Deed =
  | { does: 'post'; who: number }
  | { does: 'rename'; who: number }
  | { does: 'class'; who: number }
  | { does: 'edit' | 'delete'; of: number }
  | { does: 'react'; of: number; who: number; emoji: Emoji | null };

const member = (n: number) => `member${n}`.padEnd(16, '-');
const messageId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const entryId = (seq: number) => `e${seq}`.padEnd(8, '-');
const classId = 'class'.padEnd(16, '-');

const who = fc.nat(3);
const of = fc.nat(11);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('post' as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('rename' as const, 'class' as const), who }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('edit' as const, 'delete' as const), of }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('react' as const),
      of,
      who,
      emoji: fc.constantFrom('👍' as const, '💩' as const, null),
    }),
  },
);
const deeds = fc.array(deed, { maxLength: 50, size: 'max' });

/** The rows at `seq`, computed from the full history up to it. */
function rowsAt(story: readonly Deed[], seq: number) {
  const past = story
    .slice(0, seq)
    .map((one, i): Deed & { seq: number } => ({ ...one, seq: i + 1 }));
  const posts = past.flatMap((one) => (one.does === 'post' ? [one] : []));
  const messages: Message[] = [];
  for (const [n, post] of posts.entries()) {
    const later = past.filter((one) => 'of' in one && one.of === n && one.seq > post.seq);
    if (later.some(({ does }) => does === 'delete')) continue;
    const edit = later.findLast(({ does }) => does === 'edit');
    const reactions: Record<string, Emoji> = {};
    for (const one of later) {
      if (one.does !== 'react') continue;
      if (one.emoji) reactions[member(one.who)] = one.emoji;
      else delete reactions[member(one.who)];
    }
    messages.push({
      id: messageId(n),
      seq: post.seq,
      memberId: member(post.who),
      text: `text ${edit?.seq ?? post.seq}`,
      imageUrl: null,
      storagePath: null,
      image: null,
      createdAt: post.seq,
      editedAt: edit?.seq ?? null,
      replyTo: null,
      reactions,
    });
  }
  // The viewer always has a persona in their own browser.
  const personas = new Map([[member(0), unnamed(0)]]);
  for (const post of posts) {
    const memberId = member(post.who);
    personas.set(memberId, unnamed(post.who));
  }
  for (const one of past) {
    if (one.does !== 'rename') continue;
    const memberId = member(one.who);
    personas.set(memberId, { memberId, anonymousName: `name ${one.seq}`, icon: 'icon' });
  }
  return { messages, personas };
}

const postsIn = (story: readonly Deed[]) => story.filter(({ does }) => does === 'post').length;

function unnamed(n: number): Persona {
  return { memberId: member(n), anonymousName: 'Anonymous', icon: 'icon' };
}

/** The entries `from` to `to` with the rows as of `now`. */
function eventsOf(story: readonly Deed[], from: number, to: number, now = story.length) {
  const rows = rowsAt(story, now);
  const items = story.slice(from - 1, to).flatMap((one, i): LogItem[] => {
    const seq = from + i;
    const entry = { seq, id: entryId(seq) };
    if (one.does === 'class') return [{ kind: 'class', ...entry, class: someClass }];
    if (one.does === 'rename') {
      const persona = rows.personas.get(member(one.who));
      return persona ? [{ kind: 'persona', ...entry, persona }] : [];
    }
    const message =
      one.does === 'post'
        ? rows.messages.find((row) => row.seq === seq)
        : rows.messages.find((row) => row.id === messageId(one.of));
    // The server would have refused a change of a message that did not exist.
    if (one.does !== 'post' && one.of >= postsIn(story.slice(0, seq))) return [];
    if (one.does === 'delete') return [{ kind: 'deleted', ...entry, messageId: messageId(one.of) }];
    if (!message) return [];
    const persona = rows.personas.get(message.memberId);
    if (one.does === 'post') return persona ? [{ kind: 'posted', ...entry, message, persona }] : [];
    if (one.does === 'react') {
      const emoji = message.reactions[member(one.who)] ?? null;
      const memberId = member(one.who);
      return [{ kind: 'reacted', ...entry, messageId: message.id, memberId, emoji }];
    }
    const { id, text, editedAt } = message;
    return [{ kind: 'edited', ...entry, messageId: id, text, editedAt: editedAt ?? 0 }];
  });
  const frame: EventsFrame = { type: 'events', classId, from, to, lastId: entryId(to), items };
  return frame;
}

/** A snapshot of the last `latest` messages at `seq`, with the rows as of `now`. */
function snapshotOf(story: readonly Deed[], seq: number, latest = 50, now = seq): SnapshotFrame {
  const rows = rowsAt(story, now);
  const messages = rows.messages.slice(-latest);
  const authors = new Set(messages.map(({ memberId }) => memberId));
  return {
    type: 'snapshot',
    rid: 1,
    classId,
    epoch: 'epoch',
    seq,
    lastId: seq > 0 ? entryId(seq) : null,
    messages,
    personas: [...rows.personas.values()].filter(({ memberId }) => authors.has(memberId)),
    hasOlder: rows.messages.length > messages.length,
    me: { ...(rows.personas.get(member(0)) ?? unnamed(0)), readSeq: 0 },
  };
}

function applied(held: LogReplica, frame: EventsFrame): LogReplica {
  const next = applyEvents(held, frame);
  if (next === 'hole') throw new Error('There was none.');
  return next;
}

/** Expects the replica to match a fresh snapshot. The replica may also hold older messages. */
function expectLevel(held: LogReplica, story: readonly Deed[], latest = 50): void {
  const fresh = fromSnapshot(snapshotOf(story, story.length, latest));
  const { seq, lastId, epoch, me } = held;
  expect({ seq, lastId, epoch, me }).toEqual({
    seq: fresh.seq,
    lastId: fresh.lastId,
    epoch: fresh.epoch,
    me: fresh.me,
  });
  const { messages } = rowsAt(story, story.length);
  expect(held.messages).toEqual(messages.filter((message) => message.seq >= held.from));
}

const someClass = {
  classId,
  name: null,
  courseName: 'Algorithms',
  subjectAbbreviation: 'cs',
  courseNumber: '146',
  sectionNumber: '02',
  semesterSeason: 'Fall',
  classSchedule: ['Monday'],
  beginClassTime: '09:00',
  endClassTime: '10:15',
  memberCount: 2,
  ended: false,
};
const steps = fc.infiniteStream(fc.nat(5));
const step = (stream: Iterator<number>) => stream.next().value as number;

describe('what a browser holds of a log', () => {
  test('is the same from a snapshot at k and the events after it as from one at the end [LOG-6, LOG-8, LOG-10]', () => {
    fc.assert(
      fc.property(deeds, fc.nat(50), steps, (story, at, random) => {
        const k = Math.min(at, story.length);
        // The server may read the rows of a snapshot or a replay later than the seq says.
        let held = fromSnapshot(snapshotOf(story, k, 50, Math.min(story.length, k + step(random))));
        while (held.seq < story.length) {
          const from = Math.max(1, held.seq + 1 - step(random));
          const to = Math.min(story.length, held.seq + 1 + step(random));
          const now = Math.min(story.length, to + step(random));
          held = applied(held, eventsOf(story, from, to, now));
        }
        expectLevel(held, story);
        const { personas } = rowsAt(story, story.length);
        for (const [memberId, persona] of held.personas) {
          expect(persona).toEqual(personas.get(memberId));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('stays as it is for what it has, and says so when something is missing [LOG-8]', () => {
    fc.assert(
      fc.property(deeds, fc.nat(50), fc.nat(50), fc.nat(50), (story, at, first, length) => {
        const held = fromSnapshot(snapshotOf(story, Math.min(at, story.length)));
        const from = first + 1;
        const to = Math.min(story.length, from + length);
        if (from > to) return;
        const next = applyEvents(held, eventsOf(story, from, to));
        if (to <= held.seq) expect(next).toBe(held);
        else if (from > held.seq + 1) expect(next).toBe('hole');
        else expectLevel(applied(held, eventsOf(story, from, story.length)), story);
      }),
    );
  });

  test('grows backwards by pages, whatever changes while they are on their way [CHAT-9, CHAT-12, DELETE-7]', () => {
    fc.assert(
      fc.property(
        deeds,
        fc.nat(50),
        fc.integer({ min: 1, max: 4 }),
        steps,
        (story, at, size, random) => {
          const k = Math.min(at, story.length);
          let held = fromSnapshot(snapshotOf(story, k, size));
          const advance = () => {
            const to = Math.min(story.length, held.seq + step(random));
            if (to > held.seq) held = applied(held, eventsOf(story, held.seq + 1, to, to));
          };
          while (held.hasOlder) {
            const before = held.from;
            held = markOlderRequested(held);
            // The server reads the page between request and response, possibly ahead of the events.
            advance();
            const read = rowsAt(story, Math.min(story.length, held.seq + step(random)));
            advance();
            const older = read.messages.filter(({ seq }) => seq < before);
            const [rows, hasOlder] = [older.slice(-size), older.length > size];
            held = prependOlder(held, { messages: rows, personas: [], hasOlder });
            advance();
          }
          while (held.seq < story.length) advance();
          expectLevel({ ...held, from: 0 }, story);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('takes no page that was asked for before a snapshot replaced everything [LOG-7]', () => {
    const story: Deed[] = Array.from({ length: 9 }, () => ({ does: 'post', who: 1 }));
    const page = { messages: rowsAt(story, 9).messages.slice(0, 6), personas: [], hasOlder: false };
    const held = fromSnapshot(snapshotOf(story, 9, 3));
    expect(prependOlder(held, page)).toBe(held);
    expect(prependOlder(clearOlderRequest(markOlderRequested(held)), page).messages).toHaveLength(
      3,
    );
    expect(prependOlder(markOlderRequested(held), page)).toMatchObject({
      from: 1,
      hasOlder: false,
    });
  });

  test('goes on backwards when everything that was held is deleted [CHAT-9]', () => {
    const story: Deed[] = [
      { does: 'post', who: 1 },
      { does: 'post', who: 1 },
      { does: 'delete', of: 1 },
    ];
    const held = applied(fromSnapshot(snapshotOf(story, 2, 1)), eventsOf(story, 3, 3));
    expect(held).toMatchObject({ messages: [], from: 2, hasOlder: true });
  });

  test('never unsees', () => {
    const held = markRead(fromSnapshot(snapshotOf([{ does: 'post', who: 1 }], 1)), 1);
    expect(held.readSeq).toBe(1);
    expect(markRead(held, 0)).toBe(held);
  });
});
