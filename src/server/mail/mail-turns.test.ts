import { expect, test } from 'vitest';
import { createMailTurns, type MailTurns } from './mail-turns.ts';

/** Asks for turns for 30 mails of one network, which is three full turns. */
const takeThreeTurns = (turns: MailTurns, lane: string) =>
  Array.from({ length: 30 }, () => turns.take(lane, 0));

test('A busy network fills turns of ten mails, and the first mail of a quiet network joins the current turn [MAIL-12]', () => {
  const turns = createMailTurns();

  const busyTurns = takeThreeTurns(turns, 'busy');
  const currentTurn = 1;
  const quietTurn = turns.take('quiet', currentTurn);

  expect(busyTurns.filter((turn) => turn === 0)).toHaveLength(10);
  expect(busyTurns.at(-1)).toBe(2);
  expect(quietTurn).toBe(currentTurn);
});

test('A network continues after its last turn, or with the current turn if its last turn has passed [MAIL-12]', () => {
  const turns = createMailTurns();
  takeThreeTurns(turns, 'busy');

  expect(turns.take('busy', 2)).toBe(3);
  expect(turns.take('busy', 7)).toBe(7);
});

test('After reset(), a busy network starts again with the current turn [MAIL-12]', () => {
  const turns = createMailTurns();
  takeThreeTurns(turns, 'busy');

  turns.reset();

  expect(turns.take('busy', 0)).toBe(0);
});
