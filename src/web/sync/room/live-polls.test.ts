// Polls in the browser: asking and voting, with and without a connection.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FakeBrowser, FakeTab } from '#web/sync/testing/fake-browser.ts';
import type { FakeServer } from '#web/sync/testing/fake-server.ts';
import {
  carry,
  openTabIn,
  startBrowser,
  stopBrowser,
  wait,
} from '#web/sync/testing/one-browser.ts';

const poll = {
  options: ['Monday', 'Friday'],
  several: false,
  resultsAfter: 'vote' as const,
  minutes: 10,
};

let server: FakeServer;
let browser: FakeBrowser;
let tab: FakeTab;
beforeEach(async () => {
  ({ server, browser } = startBrowser());
  tab = await openTabIn(browser);
});
afterEach(() => stopBrowser(browser));

const getView = (from = tab) => from.live.room('class').getSnapshot();
const listPolls = () => getView().messages.map((message) => message.poll?.options);

test('a poll is shown while it waits for a connection, and then sent with its length in minutes [POLL-50]', async () => {
  tab.wire()?.drop();
  tab.live.room('class').postPoll(' When? ', poll);
  expect(listPolls()).toEqual([poll.options]);

  await wait(2000);
  await carry(tab);

  expect(server.listMessages('class')).toMatchObject([
    { text: 'When?', poll: { options: poll.options, result: null } },
  ]);
  expect(listPolls()).toEqual([poll.options]);
});

test('a vote in a poll waits for a connection, the last choice counts, and other devices learn of it [POLL-52, QUEST-55]', async () => {
  tab.live.room('class').postPoll('When?', poll);
  await carry(tab);
  const other = await openTabIn(browser);
  const pollId = server.listMessages('class')[0]!.id;
  tab.wire()?.drop();

  tab.live.room('class').choose(pollId, [0]);
  tab.live.room('class').choose(pollId, [1]);
  expect(getView().marks.entries.map(({ mark }) => mark)).toMatchObject([{ choices: [1] }]);
  await wait(2000);
  await carry(tab, other);

  expect([...server.choices.values()]).toEqual([[1]]);
  for (const device of [tab, other]) {
    expect(getView(device).marks.choices.get(pollId)).toEqual([1]);
    expect(getView(device).marks.entries).toEqual([]);
  }
});

test('after a disconnection a tab no longer relies on the votes that it knew, because another device can have changed them [POLL-52]', async () => {
  tab.live.room('class').postPoll('When?', poll);
  await carry(tab);
  const pollId = server.listMessages('class')[0]!.id;
  tab.live.room('class').choose(pollId, [0]);
  await carry(tab);
  expect(getView().marks.choices.get(pollId)).toEqual([0]);

  tab.wire()?.drop();
  expect(getView().marks.choices.get(pollId)).toEqual([0]);
  await wait(2000);
  await carry(tab);

  expect(getView().marks.choices.get(pollId)).toBeUndefined();
});
