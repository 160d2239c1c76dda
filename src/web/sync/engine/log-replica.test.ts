import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { Emoji } from '#contract/emojis.ts';
import type { Message, Persona } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import {
  addNewerPage,
  addOlderPage,
  applyEvents,
  closeGap,
  endPageRequest,
  type EventsFrame,
  forgetDistant,
  createReplica,
  type HistoryPage,
  type LogReplica,
  openPage,
  showNewest,
  getShownRun,
  type SnapshotFrame,
  startPageRequest,
} from './log-replica.ts';

// The reference model: builds the server's view of a class only from the history of events.

type Deed =
  | { kind: 'post'; actor: number }
  | { kind: 'rename'; actor: number }
  | { kind: 'class'; actor: number }
  | { kind: 'edit' | 'delete'; target: number }
  | { kind: 'react'; target: number; actor: number; emoji: Emoji | null };

const toMemberId = (n: number) => `member${n}`.padEnd(16, '-');
const toMessageId = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const toEntryId = (seq: number) => `e${seq}`.padEnd(8, '-');
const classId = 'class'.padEnd(16, '-');

const actor = fc.nat(3);
const target = fc.nat(11);
const deedArbitrary: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('post' as const), actor }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'class' as const), actor }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('edit' as const, 'delete' as const), target }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('react' as const),
      target,
      actor,
      emoji: fc.constantFrom('👍' as const, '💩' as const, null),
    }),
  },
);
const deeds = fc.array(deedArbitrary, { maxLength: 50, size: 'max' });

/** The rows at `seq`, computed from the full history up to it. */
function createRows(story: readonly Deed[], seq: number) {
  const pastDeeds = story
    .slice(0, seq)
    .map((deed, i): Deed & { seq: number } => ({ ...deed, seq: i + 1 }));
  const posts = pastDeeds.flatMap((deed) => (deed.kind === 'post' ? [deed] : []));
  const messages: Message[] = [];
  for (const [n, post] of posts.entries()) {
    const laterDeeds = pastDeeds.filter(
      (deed) => 'target' in deed && deed.target === n && deed.seq > post.seq,
    );
    if (laterDeeds.some(({ kind }) => kind === 'delete')) continue;
    const edit = laterDeeds.findLast(({ kind }) => kind === 'edit');
    const reactions: Record<string, Emoji> = {};
    for (const deed of laterDeeds) {
      if (deed.kind !== 'react') continue;
      if (deed.emoji) reactions[toMemberId(deed.actor)] = deed.emoji;
      else delete reactions[toMemberId(deed.actor)];
    }
    messages.push({
      id: toMessageId(n),
      seq: post.seq,
      memberId: toMemberId(post.actor),
      text: `text ${edit?.seq ?? post.seq}`,
      imageUrl: null,
      storagePath: null,
      images: [],
      createdAt: post.seq,
      editedAt: edit?.seq ?? null,
      replyTo: null,
      quote: null,
      moderation: null,
      reactions,
    });
  }
  // The viewer always has a persona in their own browser.
  const personas = new Map([[toMemberId(0), createUnnamedPersona(0)]]);
  for (const post of posts) {
    const memberId = toMemberId(post.actor);
    personas.set(memberId, createUnnamedPersona(post.actor));
  }
  for (const deed of pastDeeds) {
    if (deed.kind !== 'rename') continue;
    const memberId = toMemberId(deed.actor);
    personas.set(memberId, { memberId, anonymousName: `name ${deed.seq}`, icon: 'icon' });
  }
  return { messages, personas };
}

const countPosts = (story: readonly Deed[]) => story.filter(({ kind }) => kind === 'post').length;

function createUnnamedPersona(n: number): Persona {
  return { memberId: toMemberId(n), anonymousName: 'Anonymous', icon: 'icon' };
}

/** The entries `from` to `to` with the rows as of `now`. */
function createEvents(story: readonly Deed[], from: number, to: number, now = story.length) {
  const rows = createRows(story, now);
  const items = story.slice(from - 1, to).flatMap((deed, i): LogItem[] => {
    const seq = from + i;
    const entry = { seq, id: toEntryId(seq) };
    if (deed.kind === 'class') return [{ kind: 'class', ...entry, class: someClass }];
    if (deed.kind === 'rename') {
      const persona = rows.personas.get(toMemberId(deed.actor));
      return persona ? [{ kind: 'persona', ...entry, persona }] : [];
    }
    const message =
      deed.kind === 'post'
        ? rows.messages.find((row) => row.seq === seq)
        : rows.messages.find((row) => row.id === toMessageId(deed.target));
    // The server would have rejected a change of a message that did not exist.
    if (deed.kind !== 'post' && deed.target >= countPosts(story.slice(0, seq))) return [];
    if (deed.kind === 'delete') {
      return [{ kind: 'deleted', ...entry, messageId: toMessageId(deed.target) }];
    }
    if (!message) return [];
    const persona = rows.personas.get(message.memberId);
    if (deed.kind === 'post') {
      return persona ? [{ kind: 'posted', ...entry, message, persona }] : [];
    }
    if (deed.kind === 'react') {
      const emoji = message.reactions[toMemberId(deed.actor)] ?? null;
      const memberId = toMemberId(deed.actor);
      return [{ kind: 'reacted', ...entry, messageId: message.id, memberId, emoji }];
    }
    const { id, text, editedAt } = message;
    return [{ kind: 'edited', ...entry, messageId: id, text, editedAt: editedAt ?? 0 }];
  });
  const frame: EventsFrame = { type: 'events', classId, from, to, lastId: toEntryId(to), items };
  return frame;
}

/** A snapshot of the last `latest` messages at `seq`, with the rows as of `now`. */
function createSnapshot(
  story: readonly Deed[],
  seq: number,
  latest = 50,
  now = seq,
): SnapshotFrame {
  const rows = createRows(story, now);
  const messages = rows.messages.slice(-latest);
  const authors = new Set(messages.map(({ memberId }) => memberId));
  return {
    type: 'snapshot',
    rid: 1,
    classId,
    epoch: 'epoch',
    seq,
    lastId: seq > 0 ? toEntryId(seq) : null,
    messages,
    personas: [...rows.personas.values()].filter(({ memberId }) => authors.has(memberId)),
    hasOlder: rows.messages.length > messages.length,
    me: {
      ...(rows.personas.get(toMemberId(0)) ?? createUnnamedPersona(0)),
      readSeq: 0,
      hasAppeared: true,
    },
  };
}

function applyWithoutGap(replica: LogReplica, frame: EventsFrame): LogReplica {
  const next = applyEvents(replica, frame);
  if (next === 'gap') throw new Error('There was none.');
  return next;
}

/** Expects the replica to match a fresh snapshot. The replica may also hold older messages. */
function expectCaughtUp(replica: LogReplica, story: readonly Deed[], latest = 50): void {
  const fresh = createReplica(createSnapshot(story, story.length, latest));
  const { seq, lastId, epoch, me } = replica;
  expect({ seq, lastId, epoch, me }).toEqual({
    seq: fresh.seq,
    lastId: fresh.lastId,
    epoch: fresh.epoch,
    me: fresh.me,
  });
  const { messages } = createRows(story, story.length);
  expect(replica.messages).toEqual(messages.filter((message) => message.seq >= replica.from));
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
/** A page of history, read by the server when its log ends at `now`. */
function createPage(
  story: readonly Deed[],
  now: number,
  query: { before: number } | { after: number } | { around: number },
  size: number,
): HistoryPage {
  const all = createRows(story, now).messages;
  const countUntil = (end: number) => all.filter(({ seq }) => seq < end).length;
  let from: number;
  let to: number;
  if ('after' in query) {
    from = countUntil(query.after + 1);
    to = from + size;
  } else if ('before' in query) {
    to = countUntil(query.before);
    from = to - size;
  } else {
    from = countUntil(query.around) - size;
    to = countUntil(query.around) + size;
  }
  return {
    messages: all.slice(Math.max(0, from), to),
    personas: [],
    hasOlder: from > 0,
    hasNewer: to < all.length,
  };
}

/** Expects both runs of the replica to hold exactly the server's messages of their range. */
function expectTrueRuns(replica: LogReplica, story: readonly Deed[]): void {
  const { messages } = createRows(story, replica.seq);
  expect(replica.messages).toEqual(messages.filter(({ seq }) => seq >= replica.from));
  expect(replica.hasOlder || messages.every(({ seq }) => seq >= replica.from)).toBe(true);
  const { window } = replica;
  if (!window) return;
  expect(window.messages).toEqual(
    messages.filter(({ seq }) => seq >= window.from && seq <= window.to),
  );
  expect(window.hasOlder || messages.every(({ seq }) => seq >= window.from)).toBe(true);
  expect(window.to).toBeLessThan(replica.from);
}

const steps = fc.infiniteStream(fc.nat(5));
const step = (stream: Iterator<number>) => stream.next().value as number;

describe('what a browser holds of a log', () => {
  test('what a browser holds of a log is the same from a snapshot at k and the later events as from a snapshot at the end [LOG-6, DELETE-7]', () => {
    fc.assert(
      fc.property(deeds, fc.nat(50), steps, (story, snapshotSeq, random) => {
        const k = Math.min(snapshotSeq, story.length);
        // The server may read the rows of a snapshot or a replay later than the seq says.
        let replica = createReplica(
          createSnapshot(story, k, 50, Math.min(story.length, k + step(random))),
        );
        while (replica.seq < story.length) {
          const from = Math.max(1, replica.seq + 1 - step(random));
          const to = Math.min(story.length, replica.seq + 1 + step(random));
          const now = Math.min(story.length, to + step(random));
          replica = applyWithoutGap(replica, createEvents(story, from, to, now));
        }
        expectCaughtUp(replica, story);
        const { personas } = createRows(story, story.length);
        for (const [memberId, persona] of replica.personas) {
          expect(persona).toEqual(personas.get(memberId));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('what a browser holds of a log does not change at repeated events, and reports missing ones [LOG-6]', () => {
    fc.assert(
      fc.property(
        deeds,
        fc.nat(50),
        fc.nat(50),
        fc.nat(50),
        (story, snapshotSeq, first, length) => {
          const replica = createReplica(createSnapshot(story, Math.min(snapshotSeq, story.length)));
          const from = first + 1;
          const to = Math.min(story.length, from + length);
          if (from > to) return;
          const next = applyEvents(replica, createEvents(story, from, to));
          if (to <= replica.seq) expect(next).toBe(replica);
          else if (from > replica.seq + 1) expect(next).toBe('gap');
          else {
            expectCaughtUp(
              applyWithoutGap(replica, createEvents(story, from, story.length)),
              story,
            );
          }
        },
      ),
    );
  });

  test('what a browser holds of a log has the latest settings of the class, and ignores kinds that it does not know [CSET-2, PWA-7]', () => {
    const story: Deed[] = [{ kind: 'post', actor: 1 }];
    const replicaBefore = createReplica(createSnapshot(story, 1));
    expect(replicaBefore.settings).toEqual(defaultClassSettings);
    const settings = { ...defaultClassSettings, version: 1, readOnly: true };
    const createFrame = (seq: number, item: object) => ({
      type: 'events' as const,
      classId,
      from: seq,
      to: seq,
      lastId: toEntryId(seq),
      items: [{ seq, id: toEntryId(seq), ...item } as LogItem],
    });
    const changedReplica = applyWithoutGap(
      replicaBefore,
      createFrame(2, { kind: 'settings', settings }),
    );
    expect(changedReplica.settings).toEqual(settings);
    const laterReplica = applyWithoutGap(
      changedReplica,
      createFrame(3, { kind: 'of a newer server' }),
    );
    expect(laterReplica).toEqual({ ...changedReplica, seq: 3, lastId: toEntryId(3) });
    expect(createReplica({ ...createSnapshot(story, 1), settings }).settings).toEqual(settings);
  });

  test('what a browser holds of a log grows backwards by pages, whatever changes while a page is requested [CHAT-9, CHAT-12, DELETE-7]', () => {
    fc.assert(
      fc.property(
        deeds,
        fc.nat(50),
        fc.integer({ min: 1, max: 4 }),
        steps,
        (story, snapshotSeq, size, random) => {
          const k = Math.min(snapshotSeq, story.length);
          let replica = createReplica(createSnapshot(story, k, size));
          const advance = () => {
            const to = Math.min(story.length, replica.seq + step(random));
            if (to > replica.seq) {
              replica = applyWithoutGap(replica, createEvents(story, replica.seq + 1, to, to));
            }
          };
          while (replica.hasOlder) {
            const oldestSeq = replica.from;
            replica = startPageRequest(replica);
            // The server reads the page between request and response, possibly ahead of the events.
            advance();
            const read = createRows(story, Math.min(story.length, replica.seq + step(random)));
            advance();
            const older = read.messages.filter(({ seq }) => seq < oldestSeq);
            const rows = older.slice(-size);
            const hasOlder = older.length > size;
            const page = { messages: rows, personas: [], hasOlder, hasNewer: true };
            replica = addOlderPage(replica, page);
            advance();
          }
          while (replica.seq < story.length) advance();
          expectCaughtUp({ ...replica, from: 0 }, story);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('what a browser holds of a log drops distant messages and loads them again, in both directions and whatever changes meanwhile [CHAT-42]', () => {
    const actionKind = fc.constantFrom('older', 'newer', 'around', 'newest', 'forget', 'events');
    const seqs = fc.infiniteStream(fc.nat(50));
    fc.assert(
      fc.property(
        deeds,
        fc.nat(50),
        fc.integer({ min: 1, max: 4 }),
        fc.array(actionKind, { maxLength: 40, size: 'max' }),
        steps,
        seqs,
        (story, snapshotSeq, size, actions, random, seq) => {
          let replica = createReplica(
            createSnapshot(story, Math.min(snapshotSeq, story.length), size),
          );
          const advance = () => {
            const to = Math.min(story.length, replica.seq + step(random));
            if (to <= replica.seq) return;
            replica = applyWithoutGap(replica, createEvents(story, replica.seq + 1, to, to));
          };
          const request = (
            add: typeof openPage,
            query: { before: number } | { after: number } | { around: number },
          ) => {
            replica = startPageRequest(replica);
            advance();
            // The rows of the server are as new as the replica's: newer ones come with later events.
            const page = createPage(story, replica.seq, query, size);
            advance();
            replica = add(replica, page);
          };
          for (const action of actions) {
            const { window } = replica;
            if (action === 'events') advance();
            else if (action === 'older') {
              request(addOlderPage, { before: getShownRun(replica).from });
            } else if (action === 'newer' && window) {
              const closedReplica = closeGap(replica);
              if (closedReplica === replica) request(addNewerPage, { after: window.to });
              else replica = closedReplica;
            } else if (action === 'around') request(openPage, { around: step(seq) });
            else if (action === 'newest') replica = showNewest(replica);
            else if (action === 'forget') {
              const nearSeq = step(seq);
              replica = forgetDistant(replica, nearSeq > 40 ? null : nearSeq, size + 1);
              expect(getShownRun(replica).messages.length).toBeLessThanOrEqual(size + 1);
            }
            expectTrueRuns(replica, story);
          }
          // Reading on leads back to the newest message, without a gap.
          while (replica.window) {
            const closedReplica = closeGap(replica);
            if (closedReplica === replica) request(addNewerPage, { after: replica.window.to });
            else replica = closedReplica;
          }
          while (replica.seq < story.length) {
            replica = applyWithoutGap(replica, createEvents(story, replica.seq + 1, story.length));
          }
          expectTrueRuns(replica, story);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('what a browser holds of a log keeps the quotes in a window current [CHAT-30, CHAT-42]', () => {
    const quote = { memberId: toMemberId(1), anonymousName: 'Heron', text: 'old', imageCount: 0 };
    const story: Deed[] = Array.from({ length: 9 }, () => ({ kind: 'post', actor: 1 }));
    const rows = createRows(story, 9).messages;
    const reply = { ...rows[2]!, replyTo: toMessageId(0), quote };
    const page = { messages: [reply], personas: [], hasOlder: true, hasNewer: true };
    const replica = startPageRequest(createReplica(createSnapshot(story, 9, 2)));
    const openedReplica = openPage(replica, page);
    expect(openedReplica.window?.messages).toEqual([reply]);
    const entry = { seq: 10, id: toEntryId(10), messageId: toMessageId(0) };
    const frame = { type: 'events', classId, from: 10, to: 10, lastId: toEntryId(10) } as const;
    const replicaAfterEdit = applyWithoutGap(openedReplica, {
      ...frame,
      items: [{ kind: 'edited', ...entry, text: 'new', editedAt: 1 }],
    });
    expect(replicaAfterEdit.window?.messages[0]?.quote?.text).toBe('new');
    const replicaAfterDeletion = applyWithoutGap(openedReplica, {
      ...frame,
      items: [{ kind: 'deleted', ...entry }],
    });
    expect(replicaAfterDeletion.window?.messages[0]?.quote).toBe(null);
  });

  test('what a browser holds of a log rejects a page that was requested before a snapshot replaced everything [LOG-6]', () => {
    const story: Deed[] = Array.from({ length: 9 }, () => ({ kind: 'post', actor: 1 }));
    const messages = createRows(story, 9).messages.slice(0, 6);
    const page = { messages, personas: [], hasOlder: false, hasNewer: true };
    const replica = createReplica(createSnapshot(story, 9, 3));
    expect(addOlderPage(replica, page)).toBe(replica);
    expect(addOlderPage(endPageRequest(startPageRequest(replica)), page).messages).toHaveLength(3);
    expect(addOlderPage(startPageRequest(replica), page)).toMatchObject({
      from: 1,
      hasOlder: false,
    });
  });

  test('what a browser holds of a log goes on backwards when everything that was held is deleted [CHAT-9]', () => {
    const story: Deed[] = [
      { kind: 'post', actor: 1 },
      { kind: 'post', actor: 1 },
      { kind: 'delete', target: 1 },
    ];
    const replica = applyWithoutGap(
      createReplica(createSnapshot(story, 2, 1)),
      createEvents(story, 3, 3),
    );
    expect(replica).toMatchObject({ messages: [], from: 2, hasOlder: true });
  });
});
