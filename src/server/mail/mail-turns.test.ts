import { expect, test } from 'vitest';
import { createMailTurns } from './mail-turns.ts';

const takeMany = (take: () => number, count: number) => Array.from({ length: count }, take);

test('a network has ten mails in each turn, and another one begins with the turn that leaves now [MAIL-12]', () => {
  const turns = createMailTurns();

  const ofMany = takeMany(() => turns.take('many', 0), 30);
  const ofFew = turns.take('few', 1);

  expect(ofMany.filter((turn) => turn === 0)).toHaveLength(10);
  expect(ofMany.at(-1)).toBe(2);
  expect(ofFew).toBe(1);
});

test('a network gets no turn that has passed, and none later than its own mails ask for [MAIL-12]', () => {
  const turns = createMailTurns();
  takeMany(() => turns.take('many', 0), 30);

  expect(turns.take('many', 2)).toBe(3);
  expect(turns.take('many', 7)).toBe(7);
});

test('a network that asked for many mails is forgotten when no mail waits [MAIL-12]', () => {
  const turns = createMailTurns();
  takeMany(() => turns.take('many', 0), 30);

  turns.reset();

  expect(turns.take('many', 0)).toBe(0);
});
