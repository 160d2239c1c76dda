import { describe, expect, test } from 'vitest';
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
function honest(): History {
  const history = createEmptyHistory();
  for (let seq = 1; seq <= 10; seq++) {
    const client = clients[seq % 3]!;
    history.operations.push({
      ...operation(client, `m${seq}`, seq * 10),
      kind: 'post',
      text: `text ${seq}`,
      answers: [{ kind: 'acknowledged', at: seq * 10 + 5, seq }],
    });
  }
  history.operations.push(react('ada', 'm3', '👍', 200, 11));
  const messages = history.operations.slice(0, 10).map((one, i): ReplicaMessage => ({
    id: one.messageId,
    seq: i + 1,
    memberId: one.memberId,
    text: `text ${i + 1}`,
    reactions: one.messageId === 'm3' ? { 'member-ada': '👍' } : {},
  }));
  for (const client of clients) {
    history.lists.push({ client, classId, messages: structuredClone(messages), equalAfterMs: 50 });
    history.streams.push({ client, classId, steps: steps() });
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

function steps(): Step[] {
  const events = (from: number, to: number): Step => ({
    kind: 'events',
    at: from * 10,
    from,
    to,
    items: Array.from({ length: to - from + 1 }, (_, i) => ({
      seq: from + i,
      kind: from + i === 11 ? 'reacted' : 'posted',
      messageId: from + i === 11 ? 'm3' : `m${from + i}`,
    })),
  });
  return [{ kind: 'snapshot', at: 0, seq: 0 }, events(1, 4), events(5, 5), events(6, 11)];
}

function operation(client: string, messageId: string, invokedAt: number) {
  return { client, classId, memberId: `member-${client}`, messageId, invokedAt };
}

function react(
  client: string,
  messageId: string,
  emoji: Emoji,
  at: number,
  seq: number,
): Operation {
  const answers: Operation['answers'] = [{ kind: 'acknowledged', at: at + 5, seq }];
  return { ...operation(client, messageId, at), kind: 'react', emoji, answers };
}

function listRulesBrokenBy(change: (history: History) => void): string[] {
  const history = honest();
  change(history);
  return [...new Set(checkHistory(history).map((violation) => violation.rule))];
}

const post = (history: History, n: number): Operation => history.operations[n - 1]!;
const list = (history: History, client: string) =>
  history.lists.find((one) => one.client === client)!;
const stream = (history: History, client: string) =>
  history.streams.find((one) => one.client === client)!;
function dropEverywhere(history: History, id: string): void {
  for (const one of [...history.lists, ...history.stored]) {
    one.messages.splice(
      one.messages.findIndex((message) => message.id === id),
      1,
    );
  }
}

describe('the checker of histories', () => {
  test('the checker of histories reports no error in a correct history', () => {
    expect(checkHistory(honest())).toEqual([]);
  });

  test('the checker of histories finds a message that was acknowledged before its commit, and lost [LOG-2, LOG-3]', () => {
    expect(listRulesBrokenBy((history) => dropEverywhere(history, 'm10'))).toEqual([
      'acknowledged once everywhere',
    ]);
  });

  test('the checker of histories finds a frame that was dropped for one client [LOG-6]', () => {
    const broken = listRulesBrokenBy((history) => {
      stream(history, 'ben').steps.splice(2, 1);
      list(history, 'ben').messages.splice(4, 1);
    });
    expect(broken).toContain('no gaps');
    expect(broken).toContain('acknowledged once everywhere');
    expect(broken).toContain('same for all clients');
  });

  test('the checker of histories finds an item that is missing inside a frame [LOG-6]', () => {
    const broken = listRulesBrokenBy((history) => {
      const step = stream(history, 'cy').steps[1]!;
      if (step.kind === 'events') step.items.splice(1, 1);
    });
    expect(broken).toEqual(['no gaps']);
  });

  test('the checker of histories allows a replay to leave out what was deleted since, and no more [LOG-10]', () => {
    const broken = listRulesBrokenBy((history) => {
      dropEverywhere(history, 'm2');
      history.operations.push({
        ...operation('cy', 'm2', 300),
        kind: 'delete',
        answers: [{ kind: 'acknowledged', at: 305, seq: 12 }],
      });
      const step = stream(history, 'cy').steps[1]!;
      if (step.kind === 'events') step.items.splice(1, 1);
    });
    expect(broken).toEqual([]);
  });

  test('the checker of histories finds an event that was applied twice [LOG-8]', () => {
    const broken = listRulesBrokenBy((history) => {
      const { messages } = list(history, 'ada');
      messages.splice(4, 0, structuredClone(messages[4]!));
      stream(history, 'ada').steps.splice(2, 0, stream(history, 'ada').steps[2]!);
    });
    expect(broken).toContain('acknowledged once everywhere');
    expect(broken).toContain('no gaps');
  });

  test('the checker of histories finds two messages in another order at one client [LOG-1]', () => {
    const broken = listRulesBrokenBy((history) => {
      const { messages } = list(history, 'cy');
      [messages[2], messages[3]] = [messages[3]!, messages[2]!];
    });
    expect(broken).toEqual(['same for all clients']);
  });

  test('the checker of histories finds two messages that changed their seqs for one client [LOG-1]', () => {
    const broken = listRulesBrokenBy((history) => {
      const { messages } = list(history, 'cy');
      [messages[2]!.id, messages[3]!.id] = [messages[3]!.id, messages[2]!.id];
    });
    expect(broken).toContain('acknowledged once everywhere');
  });

  test('the checker of histories finds a rejected message that is there [LOG-13]', () => {
    const broken = listRulesBrokenBy((history) => {
      post(history, 4).answers = [{ kind: 'rejected', at: 45, code: 'NOT_FOUND' }];
    });
    expect(broken).toEqual(['refused nowhere']);
  });

  test('the checker of histories takes an unknown as none or one, and not as two or as left so [LOG-4]', () => {
    const lost: Operation['answers'] = [{ kind: 'unknown', at: 105 }];
    const rejected: Operation['answers'] = [
      ...lost,
      { kind: 'rejected', at: 107, code: 'NOT_FOUND' },
    ];
    expect(listRulesBrokenBy((history) => (post(history, 10).answers = rejected))).toEqual([]);
    const none = listRulesBrokenBy((history) => {
      post(history, 10).answers = rejected;
      dropEverywhere(history, 'm10');
    });
    expect(none).toEqual([]);
    expect(listRulesBrokenBy((history) => (post(history, 10).answers = lost))).toEqual([
      'retried until answered',
    ]);
    const twice = listRulesBrokenBy((history) => {
      post(history, 10).answers = rejected;
      for (const one of history.lists) one.messages.push({ ...one.messages[9]!, seq: 12 });
    });
    expect(twice).toContain('unknown at most once');
  });

  test('the checker of histories finds a retry that was entered a second time [LOG-4]', () => {
    const broken = listRulesBrokenBy((history) => {
      post(history, 10).answers.push({ kind: 'acknowledged', at: 300, seq: 12 });
    });
    expect(broken).toEqual(['one acknowledgement']);
  });

  test('the checker of histories finds a message that no client sent', () => {
    const broken = listRulesBrokenBy((history) => history.operations.splice(3, 1));
    expect(broken).toEqual(['no unknown messages']);
  });

  test('the checker of histories knows which reaction is the last, and finds an older one', () => {
    const again = (history: History) => history.operations.push(react('ada', 'm3', '💩', 210, 12));
    expect(listRulesBrokenBy(again)).toEqual(['latest change']);
    const atOnce = (history: History) => history.operations.push(react('ada', 'm3', '💩', 203, 12));
    expect(listRulesBrokenBy(atOnce)).toEqual([]);
  });

  test('the checker of histories finds a second reaction of one member, and a count that is not its rows', () => {
    const broken = listRulesBrokenBy((history) => {
      history.stored[0]!.reactions.push({ messageId: 'm3', memberId: 'member-ada', emoji: '💩' });
    });
    expect(broken).toEqual(['rows']);
  });

  test('the checker of histories finds an edit that was acknowledged and is not shown', () => {
    const broken = listRulesBrokenBy((history) => {
      history.operations.push({
        ...operation('ben', 'm1', 300),
        kind: 'edit',
        text: 'better',
        answers: [{ kind: 'acknowledged', at: 305, seq: 12 }],
      });
    });
    expect(broken).toEqual(['latest change']);
  });

  test('the checker of histories finds a hole in the log that is stored, and allows that its beginning is gone [LOG-1, LOG-12]', () => {
    expect(listRulesBrokenBy((history) => history.stored[0]!.log.splice(5, 1))).toEqual([
      'no gaps',
    ]);
    expect(listRulesBrokenBy((history) => history.stored[0]!.log.splice(0, 5))).toEqual([]);
  });

  test('the checker of histories after a restored backup wants what was newer gone, and finds a mixture [LOG-11]', () => {
    const restore = { at: 150, heads: { [classId]: 8 } };
    const gone = (history: History) => {
      history.restores.push(restore);
      history.operations.splice(10, 1);
      history.stored = [];
      for (const one of history.lists) {
        one.messages.splice(8);
        one.messages[2]!.reactions = {};
      }
    };
    expect(listRulesBrokenBy(gone)).toEqual([]);
    const mixed = listRulesBrokenBy((history) => {
      const kept = list(history, 'ben').messages[8]!;
      gone(history);
      list(history, 'ben').messages.push(kept);
    });
    expect(mixed).toEqual(['no unknown messages', 'same for all clients']);
  });

  test('the checker of histories leaves open whether a change was in the backup that was answered only when sent again', () => {
    const resent = (answers: Operation['answers']) => (history: History) => {
      history.restores.push({ at: 500, heads: { [classId]: 20 } });
      history.operations.push({
        ...operation('cy', 'm2', 300),
        kind: 'edit',
        text: 'new',
        answers,
      });
      for (const one of history.lists) one.messages[1]!.text = 'new';
    };
    const late: Operation['answers'] = [{ kind: 'acknowledged', at: 400, seq: 30 }];
    expect(listRulesBrokenBy(resent(late))).toEqual(['latest change']);
    expect(listRulesBrokenBy(resent([{ kind: 'unknown', at: 350 }, ...late]))).toEqual([]);
  });

  test('the checker of histories finds a client that receives messages of a class it is not in, a late client, and unbounded memory [SEND-13]', () => {
    const broken = listRulesBrokenBy((history) => {
      history.leaks.push({ client: 'eve', classId, frame: 'events' });
      list(history, 'ben').equalAfterMs = 10_001;
      history.memory = { before: 100 * 2 ** 20, peak: 400 * 2 ** 20 };
      history.observations.push({ expectation: 'reading goes on', isMet: false, detail: '6 s' });
    });
    expect(broken).toEqual(['equal in time', 'membership', 'memory', 'observed']);
  });
});
