// Questions in the browser: asking, voting and marking, with and without a connection.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toRoomQuestion } from '#web/data/room-questions.ts';
import { FakeBrowser, type FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';

let server: FakeServer;
let browser: FakeBrowser;
let tab: FakeTab;
beforeEach(async () => {
  ({ server, browser } = startBrowser());
  tab = await openTabIn(browser);
  server.ask('class', 'q');
  await carry(tab);
});
afterEach(() => stopBrowser(browser));

const getRoom = (from = tab) => from.live.room('class');
function getQuestion(from = tab) {
  const view = getRoom(from).getSnapshot();
  const question = view.messages.find(({ id }) => id === 'q')?.question;
  if (!question) throw new Error('The question is not on screen.');
  return toRoomQuestion('q', question, view);
}
const press = (from = tab) => getRoom(from).vote('q', !getQuestion(from).voted);
const countVotes = () => server.votes.get('q')?.size ?? 0;

test('a message is posted as a question, and is one while it waits for a connection [QUEST-50]', async () => {
  tab.wire()?.drop();
  getRoom().post('And when?', undefined, true);
  getRoom().post('Thanks.');
  const listQuestions = () =>
    getRoom()
      .getSnapshot()
      .messages.map(({ text, question }) => [text, question !== null]);
  const expected = [
    ['Why?', true],
    ['And when?', true],
    ['Thanks.', false],
  ];
  expect(listQuestions()).toEqual(expected);

  await wait(2000);
  await carry(tab);

  expect(server.listMessages('class').map(({ question }) => question !== undefined)).toEqual([
    true,
    true,
    false,
  ]);
  expect(listQuestions()).toEqual(expected);
});

test('the voter sees the own vote immediately, and it is counted once when the number follows [QUEST-53]', async () => {
  server.votes.set('q', new Set(['ben', 'cem']));
  server.publishVotes('class');
  await carry(tab);

  press();
  expect(getQuestion()).toMatchObject({ voted: true, shownVotes: 3 });
  await carry(tab);
  expect(countVotes()).toBe(3);
  expect(getQuestion()).toMatchObject({ voted: true, votes: 2, shownVotes: 3 });

  server.publishVotes('class');
  await carry(tab);
  expect(getQuestion()).toMatchObject({ voted: true, votes: 3, shownVotes: 3 });

  press();
  expect(getQuestion()).toMatchObject({ voted: false, shownVotes: 2 });
  press();
  expect(getQuestion()).toMatchObject({ voted: true, shownVotes: 3 });
  await carry(tab);
  expect(countVotes()).toBe(3);
});

test('a vote waits for a connection, and a second press takes it back [QUEST-55]', async () => {
  tab.wire()?.drop();
  press();
  press();
  press();
  expect(getQuestion()).toMatchObject({ voted: true, shownVotes: 1 });
  expect(countVotes()).toBe(0);
  await wait(2000);
  await carry(tab);
  expect(countVotes()).toBe(1);

  tab.wire()?.drop();
  press();
  press();
  await wait(2000);
  await carry(tab);

  expect(countVotes()).toBe(1);
  expect(getQuestion()).toMatchObject({ voted: true });
  expect(await browser.storage.list('ada')).toEqual([]);
});

test('staff see their mark immediately, and it waits for a connection, also after the tab was closed [LECT-52, QUEST-55]', async () => {
  const getServerQuestion = () => server.listMessages('class')[0]?.question;
  getRoom().markDone('q', true);
  expect(getQuestion()).toMatchObject({ done: true });
  await carry(tab);
  expect(getServerQuestion()).toMatchObject({ done: true });

  tab.wire()?.drop();
  getRoom().markDone('q', false);
  getRoom().markDone('q', true);
  getRoom().markDone('q', false);
  await wait(0);
  expect(getQuestion()).toMatchObject({ done: false });
  tab.close();
  const next = await openTabIn(browser);
  await carry(next);

  expect(getServerQuestion()).not.toHaveProperty('done');
  expect(getQuestion(next).done).toBeFalsy();
  expect(await browser.storage.list('ada')).toEqual([]);
});

test('a vote does not wait for a message that the server asked to wait [QUEST-55]', async () => {
  server.refusals.push({ code: 'SLOW_MODE', message: 'Wait.', retryAfterMs: 60_000 });
  getRoom().post('later');
  await carry(tab);

  press();
  await carry(tab);

  expect(countVotes()).toBe(1);
});

test('a vote survives the tab that could not send it, and is no unsent message [QUEST-55]', async () => {
  tab.wire()?.drop();
  press();
  await wait(0);
  expect(tab.live.unsentCount()).toBe(0);
  tab.close();

  const next = browser.openTab();
  next.live.room('class');
  await carry(next);

  expect(countVotes()).toBe(1);
  expect(getQuestion(next)).toMatchObject({ voted: true, shownVotes: 1 });
});

test('a rejected vote is taken back on screen, with the reason [QUEST-55]', async () => {
  server.voteRefusals.push({ code: 'MUTED', message: 'You are muted.' });
  press();
  await carry(tab);

  expect(getQuestion()).toMatchObject({ voted: false, votes: 0 });
  const { failedAction } = getRoom().getSnapshot();
  expect(failedAction).toMatchObject({ failure: 'You are muted.' });
  getRoom().discard(failedAction!.id);
  expect(getRoom().getSnapshot().failedAction).toBeNull();
});

test('all devices of the member show the vote, and no one else’s does [QUEST-53]', async () => {
  const phone = await openTabIn(new FakeBrowser(server, 'ada'));
  const ben = await openTabIn(new FakeBrowser(server, 'ben'));

  press();
  await carry(tab, phone, ben);

  expect(getQuestion(phone)).toMatchObject({ voted: true, votes: 0, shownVotes: 1 });
  expect(getQuestion(ben)).toMatchObject({ voted: false, shownVotes: 0 });
  server.votes.get('q')?.add('cem');
  server.publishVotes('class');
  await carry(phone);
  expect(getQuestion(phone)).toMatchObject({ votes: 2, shownVotes: 2 });
  for (const other of [phone, ben]) other.close();
});

test('a number that has the own vote stays right if others take their votes back [QUEST-53]', async () => {
  server.votes.set('q', new Set(['ben', 'cem']));
  server.publishVotes('class');
  await carry(tab);
  press();
  await carry(tab);
  server.publishVotes('class');
  await carry(tab);

  server.votes.get('q')?.delete('ben');
  server.publishVotes('class');
  await carry(tab);

  expect(getQuestion()).toMatchObject({ voted: true, votes: 2, shownVotes: 2 });
});

test('the own vote is counted once although the number stays the same, because someone took a vote back [QUEST-53]', async () => {
  server.votes.set('q', new Set(['ben']));
  server.publishVotes('class');
  await carry(tab);
  press();
  await carry(tab);
  server.votes.get('q')?.delete('ben');
  server.publishVotes('class');
  await carry(tab);

  await wait(120_000);

  expect(getQuestion()).toMatchObject({ voted: true, votes: 1, shownVotes: 1 });
});

test('the mark of an answer publishes no vote [QUEST-53]', async () => {
  server.say('class', 'a', 'cem', 'Because.');
  await carry(tab);
  press();
  await carry(tab);

  getRoom().markAnswer('q', 'a');
  await carry(tab);

  expect(getQuestion()).toMatchObject({ votes: 0, shownVotes: 1 });
});

test('a room that is live again after a disconnection says so once [QUEST-66]', async () => {
  const kinds: string[] = [];
  getRoom().onMessageChanged(({ kind }) => kinds.push(kind));

  tab.wire()?.drop();
  await wait(2000);
  await carry(tab);
  server.ask('class', 'next');
  await carry(tab);

  expect(kinds).toEqual(['resumed', 'posted']);
});

/** Takes over a list that the server has just read. */
function receiveVote(voted: boolean, votesBefore = getRoom().getSnapshot().marks.votes): void {
  getRoom().receiveVotes([{ messageId: 'q', voted }], votesBefore);
}

test('the list of the server says which questions have the member’s vote [QUEST-53]', () => {
  receiveVote(true);
  expect(getQuestion()).toMatchObject({ voted: true, shownVotes: 1 });

  receiveVote(false);
  expect(getQuestion()).toMatchObject({ voted: false, shownVotes: 0 });
});

test('a vote that the number lacks stays counted when the list is read again [QUEST-53]', async () => {
  server.votes.set('q', new Set(['ben', 'cem']));
  server.publishVotes('class');
  await carry(tab);
  press();
  await carry(tab);

  receiveVote(true);

  expect(getQuestion()).toMatchObject({ voted: true, votes: 2, shownVotes: 3 });
});

test('a vote that is taken back while the list is read is newer than the list [QUEST-53]', async () => {
  press();
  await carry(tab);
  const votesBefore = getRoom().getSnapshot().marks.votes;
  press();
  await carry(tab);

  receiveVote(true, votesBefore);

  expect(getQuestion()).toMatchObject({ voted: false });
});

test('a room that this device keeps has its questions, with the member’s votes [QUEST-57]', async () => {
  const keeper = browser.openTab();
  keeper.live.setAccount('ada');
  keeper.live.room('class');
  browser.keepRooms(keeper, ['class']);
  await carry(keeper);
  press(keeper);
  await carry(keeper);
  await wait(2000);
  keeper.close();

  const next = browser.openTab();
  next.live.setAccount('ada');
  next.live.room('class');
  browser.keepRooms(next, ['class']);
  await wait(0);

  expect(getQuestion(next)).toMatchObject({ voted: true, shownVotes: 1 });
});

test('a mark is shown before the log has it, and follows edits and the deletion of the answer [QUEST-58]', async () => {
  server.say('class', 'a', 'cem', 'Because of the rotation.');
  await carry(tab);

  getRoom().markAnswer('q', 'a');
  const start = { messageId: 'a', quote: { text: 'Because of the rotation.' } };
  expect(getQuestion()).toMatchObject({ answer: start, endorsed: null });
  await carry(tab);
  expect(getQuestion()).toMatchObject({ answer: start });
  getRoom().markAnswer('q', 'a', true);
  await carry(tab);
  expect(server.listMessages('class')[0]?.question).toMatchObject({
    answer: start,
    endorsed: start,
  });

  server.edit('class', 'a', 'Because of the double rotation.');
  server.moderate('class', 'a', 'hidden');
  await carry(tab);
  const changedAnswer = { quote: { text: 'Because of the double rotation.', hidden: true } };
  expect(getQuestion()).toMatchObject({ answer: changedAnswer, endorsed: changedAnswer });

  getRoom().markAnswer('q', null, true);
  expect(getQuestion().endorsed).toBeNull();
  await carry(tab);
  server.delete('class', 'a');
  await carry(tab);
  expect(getQuestion()).toMatchObject({ answer: null, endorsed: null });
});

test('a question that a moderator removed is none any more [QUEST-58]', async () => {
  server.moderate('class', 'q', 'removed');
  await carry(tab);

  expect(getRoom().getSnapshot().messages).toMatchObject([{ id: 'q', question: null }]);
  expect(getRoom().getSnapshot().newest[0]?.isConcealed).toBe(true);
});

test('a page of history says which questions have the member’s vote [QUEST-10]', async () => {
  const readPage = server.readHistory.bind(server);
  const readHistory = vi.spyOn(server, 'readHistory');
  readHistory.mockImplementation((...query) => ({ ...readPage(...query), voted: '1' }));
  await getRoom().openTime(0);
  expect(getQuestion()).toMatchObject({ voted: true });

  readHistory.mockImplementation((...query) => ({ ...readPage(...query), voted: '0' }));
  await getRoom().openTime(0);
  expect(getQuestion()).toMatchObject({ voted: false });
});

test('a vote during the request of a page is newer than the page [QUEST-10]', async () => {
  vi.spyOn(server, 'readHistory').mockImplementation(() => {
    receiveVote(true);
    const messages = server.listMessages('class');
    return { messages, personas: [], hasOlder: false, hasNewer: false, voted: '0' };
  });

  await getRoom().openTime(0);

  expect(getQuestion()).toMatchObject({ voted: true });
});
