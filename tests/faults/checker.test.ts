import { expect, test } from 'vitest';
import type { Emoji } from '#contract/emojis.ts';
import { checkHistory } from './checker.ts';
import {
  createEmptyHistory,
  type ReplicaMessage,
  type History,
  type Operation,
  type Step,
} from './history.ts';

const classId = 'class';
const clients = ['ada', 'ben', 'cy'];

/** Ten posts that three clients received, and a reaction, without violations. */
function createHonestHistory(): History {
  const history = createEmptyHistory();
  for (let seq = 1; seq <= 10; seq++) {
    const client = clients[seq % 3]!;
    history.operations.push({
      ...createOperation(client, `m${seq}`, seq * 10),
      kind: 'post',
      text: `text ${seq}`,
      answers: [{ kind: 'acknowledged', time: seq * 10 + 5, seq }],
    });
  }
  history.operations.push(react('ada', 'm3', '👍', 200, 11));
  const messages = history.operations.slice(0, 10).map((operation, i): ReplicaMessage => ({
    id: operation.messageId,
    seq: i + 1,
    memberId: operation.memberId,
    text: `text ${i + 1}`,
    reactions: operation.messageId === 'm3' ? { 'member-ada': '👍' } : {},
  }));
  for (const client of clients) {
    history.lists.push({ client, classId, messages: structuredClone(messages), equalAfterMs: 50 });
    history.streams.push({ client, classId, steps: createSteps() });
  }
  history.stored.push({
    classId,
    head: 11,
    log: Array.from({ length: 11 }, (_, i) => i + 1),
    messages: messages.map(({ id, seq, memberId }) => ({ id, seq, memberId })),
    reactions: [{ messageId: 'm3', memberId: 'member-ada', emoji: '👍' }],
  });
  return history;
}

function createSteps(): Step[] {
  const createEvents = (from: number, to: number): Step => ({
    kind: 'events',
    time: from * 10,
    from,
    to,
    items: Array.from({ length: to - from + 1 }, (_, i) => ({
      seq: from + i,
      kind: from + i === 11 ? 'reacted' : 'posted',
      messageId: from + i === 11 ? 'm3' : `m${from + i}`,
    })),
  });
  return [
    { kind: 'snapshot', time: 0, seq: 0 },
    createEvents(1, 4),
    createEvents(5, 5),
    createEvents(6, 11),
  ];
}

function createOperation(client: string, messageId: string, invokedAt: number) {
  return { client, classId, memberId: `member-${client}`, messageId, invokedAt };
}

function react(
  client: string,
  messageId: string,
  emoji: Emoji,
  invokedAt: number,
  seq: number,
): Operation {
  const answers: Operation['answers'] = [{ kind: 'acknowledged', time: invokedAt + 5, seq }];
  return { ...createOperation(client, messageId, invokedAt), kind: 'react', emoji, answers };
}

function listRulesBrokenBy(change: (history: History) => unknown): string[] {
  const history = createHonestHistory();
  change(history);
  return [...new Set(checkHistory(history).map((violation) => violation.rule))];
}

const post = (history: History, n: number): Operation => history.operations[n - 1]!;
const findList = (history: History, client: string) =>
  history.lists.find((candidate) => candidate.client === client)!;
const stream = (history: History, client: string) =>
  history.streams.find((candidate) => candidate.client === client)!;
function dropEverywhere(history: History, id: string): void {
  for (const list of [...history.lists, ...history.stored]) {
    list.messages.splice(
      list.messages.findIndex((message) => message.id === id),
      1,
    );
  }
}

test('the checker of histories reports no error in a correct history', () => {
  expect(checkHistory(createHonestHistory())).toEqual([]);
});

test.each<[title: string, change: (history: History) => unknown, brokenRules: string[]]>([
  [
    'a message that was acknowledged before its commit, and lost [LOG-2, LOG-3]',
    (history) => dropEverywhere(history, 'm10'),
    ['acknowledged once everywhere'],
  ],
  [
    'a frame that was dropped for one client [LOG-6]',
    (history) => {
      stream(history, 'ben').steps.splice(2, 1);
      findList(history, 'ben').messages.splice(4, 1);
    },
    ['acknowledged once everywhere', 'no gaps', 'same for all clients'],
  ],
  [
    'an item that is missing inside a frame [LOG-6]',
    (history) => {
      const step = stream(history, 'cy').steps[1]!;
      if (step.kind === 'events') step.items.splice(1, 1);
    },
    ['no gaps'],
  ],
  [
    'an event that was applied twice [LOG-6]',
    (history) => {
      const { messages } = findList(history, 'ada');
      messages.splice(4, 0, structuredClone(messages[4]!));
      stream(history, 'ada').steps.splice(2, 0, stream(history, 'ada').steps[2]!);
    },
    ['acknowledged once everywhere', 'no gaps'],
  ],
  [
    'two messages in another order at one client [LOG-1]',
    (history) => {
      const { messages } = findList(history, 'cy');
      [messages[2], messages[3]] = [messages[3]!, messages[2]!];
    },
    ['same for all clients'],
  ],
  [
    'two messages that changed their seqs for one client [LOG-1]',
    (history) => {
      const { messages } = findList(history, 'cy');
      [messages[2]!.id, messages[3]!.id] = [messages[3]!.id, messages[2]!.id];
    },
    ['acknowledged once everywhere'],
  ],
  [
    'a rejected message that is there [LOG-86]',
    (history) => (post(history, 4).answers = [{ kind: 'rejected', time: 45, code: 'NOT_FOUND' }]),
    ['rejected nowhere'],
  ],
  [
    'a retry that was entered a second time [LOG-4]',
    (history) => post(history, 10).answers.push({ kind: 'acknowledged', time: 300, seq: 12 }),
    ['one acknowledgement'],
  ],
  [
    'a message that no client sent',
    (history) => history.operations.splice(3, 1),
    ['no unknown messages'],
  ],
  [
    'a second reaction of one member, and a count that is not its rows',
    (history) =>
      history.stored[0]!.reactions.push({ messageId: 'm3', memberId: 'member-ada', emoji: '💩' }),
    ['rows'],
  ],
  [
    'an edit that was acknowledged and is not shown',
    (history) =>
      history.operations.push({
        ...createOperation('ben', 'm1', 300),
        kind: 'edit',
        text: 'better',
        answers: [{ kind: 'acknowledged', time: 305, seq: 12 }],
      }),
    ['latest change'],
  ],
  [
    'foreign messages, a late client and unbounded memory [SEND-13]',
    (history) => {
      history.leaks.push({ client: 'eve', classId, frame: 'events' });
      findList(history, 'ben').equalAfterMs = 10_001;
      history.memory = { bytesBefore: 100 * 2 ** 20, peak: 400 * 2 ** 20 };
      history.observations.push({ expectation: 'reading goes on', isMet: false, detail: '6 s' });
    },
    ['equal in time', 'membership', 'memory', 'observed'],
  ],
])('the checker of histories finds %s', (_title, change, brokenRules) => {
  expect(listRulesBrokenBy(change)).toEqual(expect.arrayContaining(brokenRules));
});

test('the checker of histories accepts that a replay leaves out only deleted messages [DELETE-7]', () => {
  const brokenRules = listRulesBrokenBy((history) => {
    dropEverywhere(history, 'm2');
    history.operations.push({
      ...createOperation('cy', 'm2', 300),
      kind: 'delete',
      answers: [{ kind: 'acknowledged', time: 305, seq: 12 }],
    });
    const step = stream(history, 'cy').steps[1]!;
    if (step.kind === 'events') step.items.splice(1, 1);
  });

  expect(brokenRules).toEqual([]);
});

test('the checker of histories accepts an unknown outcome as none or one [LOG-4]', () => {
  const unknownAnswers: Operation['answers'] = [{ kind: 'unknown', time: 105 }];
  const rejectedAnswers: Operation['answers'] = [
    ...unknownAnswers,
    { kind: 'rejected', time: 107, code: 'NOT_FOUND' },
  ];
  expect(listRulesBrokenBy((history) => (post(history, 10).answers = rejectedAnswers))).toEqual([]);

  const brokenRules = listRulesBrokenBy((history) => {
    post(history, 10).answers = rejectedAnswers;
    dropEverywhere(history, 'm10');
  });
  expect(brokenRules).toEqual([]);
  expect(listRulesBrokenBy((history) => (post(history, 10).answers = unknownAnswers))).toEqual([
    'retried until answered',
  ]);

  const brokenByCopy = listRulesBrokenBy((history) => {
    post(history, 10).answers = rejectedAnswers;
    for (const list of history.lists) list.messages.push({ ...list.messages[9]!, seq: 12 });
  });
  expect(brokenByCopy).toContain('unknown at most once');
});

test('the checker of histories finds a reaction that is not the last one', () => {
  const reactAgain = (history: History) =>
    history.operations.push(react('ada', 'm3', '💩', 210, 12));
  expect(listRulesBrokenBy(reactAgain)).toEqual(['latest change']);

  const reactTogether = (history: History) =>
    history.operations.push(react('ada', 'm3', '💩', 203, 12));
  expect(listRulesBrokenBy(reactTogether)).toEqual([]);
});

test('the checker of histories finds a hole in the stored log, and accepts a missing beginning [LOG-1, LOG-12]', () => {
  expect(listRulesBrokenBy((history) => history.stored[0]!.log.splice(5, 1))).toEqual(['no gaps']);
  expect(listRulesBrokenBy((history) => history.stored[0]!.log.splice(0, 5))).toEqual([]);
});

test('the checker of histories finds a mixture of the states before and after a restored backup [BACKUP-4]', () => {
  const restore = { time: 150, heads: { [classId]: 8 } };
  const removeMessages = (history: History) => {
    history.restores.push(restore);
    history.operations.splice(10, 1);
    history.stored = [];
    for (const list of history.lists) {
      list.messages.splice(8);
      list.messages[2]!.reactions = {};
    }
  };
  expect(listRulesBrokenBy(removeMessages)).toEqual([]);

  const mixed = listRulesBrokenBy((history) => {
    const keptMessage = findList(history, 'ben').messages[8]!;
    removeMessages(history);
    findList(history, 'ben').messages.push(keptMessage);
  });
  expect(mixed).toEqual(['no unknown messages', 'same for all clients']);
});

test('the checker of histories accepts both outcomes of a repeated change after a restored backup', () => {
  const resendEdit = (answers: Operation['answers']) => (history: History) => {
    history.restores.push({ time: 500, heads: { [classId]: 20 } });
    history.operations.push({
      ...createOperation('cy', 'm2', 300),
      kind: 'edit',
      text: 'new',
      answers,
    });
    for (const list of history.lists) list.messages[1]!.text = 'new';
  };
  const lateAnswers: Operation['answers'] = [{ kind: 'acknowledged', time: 400, seq: 30 }];

  expect(listRulesBrokenBy(resendEdit(lateAnswers))).toEqual(['latest change']);
  expect(listRulesBrokenBy(resendEdit([{ kind: 'unknown', time: 350 }, ...lateAnswers]))).toEqual(
    [],
  );
});
