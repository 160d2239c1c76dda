// What happens in the lecture, and when: questions, votes, posts, answers, marks and a poll, at random moments.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from '@playwright/test';
import { university } from '#tests/support/university.ts';
import type { Members } from './members.ts';
import { createQuestionText } from './question-texts.ts';
import {
  type LectureWindow,
  openLecturePanel,
  openRoom,
  openWindow,
  pressDone,
  pressVote,
  startLecture,
} from './windows.ts';

const questionCount = 40;
const voteCount = 2000;
const postCount = 300;
const answerCount = 8;
const doneCount = 8;
const pollVoteCount = 250;
/** What each student presses in the own window. */
const windowVoteCount = 6;

interface Options {
  browser: Browser;
  members: Members;
  origin: string;
  classId: string;
  /** Of the assistant and of the two students with a window. */
  cookies: readonly string[];
  minutes: number;
  screenshots: string | undefined;
}

export interface Lecture {
  windows: readonly LectureWindow[];
  /** The poll, after `play`, and how many have voted for each of its options. */
  getPoll(): { messageId: string; counts: readonly number[] };
  play(): Promise<void>;
  /** The questions as they must be in the end, by the number in their text. */
  listQuestions(): { number: number; votes: number }[];
  takeScreenshots(moment: string): Promise<void>;
}

/** Opens the windows and starts the lecture. */
export async function planLecture(options: Options): Promise<Lecture> {
  const { browser, members, origin, classId, minutes, screenshots } = options;
  const [staffCookie = '', cookieOfA = '', cookieOfB = ''] = options.cookies;
  const open = openWindow.bind(null, browser, origin);
  const desktop = { width: 1280, height: 800 };
  const assistant = await open('assistant', { ...desktop, cookie: staffCookie });
  const studentA = await open('student-a', { ...desktop, cookie: cookieOfA });
  const studentB = await open('student-b', { width: 390, height: 844, cookie: cookieOfB });
  const hall = await open('hall', { width: 1024, height: 768 });
  const students = [studentA, studentB];
  const windows = [assistant, ...students, hall];
  for (const { page } of [assistant, ...students])
    await openRoom(page, `${origin}/home/${classId}`);
  await hall.page.goto(await startLecture(assistant.page));
  await hall.page.getByText('No questions yet.').waitFor();
  await openLecturePanel(studentA.page);

  const takeScreenshots = async (moment: string) => {
    for (const window of windows) await window.takeScreenshot(screenshots, moment);
  };
  await takeScreenshots('start');
  for (const window of windows) await window.forgetLoading();

  const durationMs = minutes * 60_000;
  const acts: { atMs: number; act: () => Promise<unknown> }[] = [];
  /** Adds acts at random moments of this part of the lecture. */
  function add(count: number, [from, to]: [number, number], act: (n: number) => Promise<unknown>) {
    for (let n = 0; n < count; n++) {
      const share = from + ((to - from) * (n + Math.random())) / count;
      acts.push({ atMs: share * durationMs, act: () => act(n) });
    }
  }

  const listAsked = () => [...members.questions.values()];
  const chooseMember = () => Math.floor(Math.random() * members.count);
  /** Some questions get many votes, and most get few. */
  const chooseQuestion = () => {
    const asked = listAsked();
    return asked[Math.floor(asked.length * Math.random() ** 2)];
  };
  const doneNumbers = new Set<number>();
  const answeredIds = new Set<string>();
  let pollId = '';
  const pollCounts = [0, 0, 0];

  /** A member who has voted takes the vote back. */
  async function vote(): Promise<void> {
    const question = chooseQuestion();
    const voter = chooseMember();
    if (question && voter !== question.asker) await members.vote(voter, question.id);
    else await vote();
  }

  async function answer(): Promise<void> {
    const question = listAsked().find(({ id, asker }) => asker !== null && !answeredIds.has(id));
    if (!question) return;
    answeredIds.add(question.id);
    const text = university.createMessageText(answeredIds.size);
    const answerId = await members.post(chooseMember(), text, { replyTo: question.id });
    await members.request(question.asker!, { type: 'answer', messageId: question.id, answerId });
  }

  /** Staff answer the question with the most votes that is open. */
  async function markDone(): Promise<void> {
    const [question] = listAsked()
      .filter(({ id, text }) => !answeredIds.has(id) && !doneNumbers.has(toNumber(text)))
      .toSorted((a, b) => b.voters.size - a.voters.size);
    if (!question) return;
    doneNumbers.add(toNumber(question.text));
    await pressDone(assistant.page, toNumber(question.text));
  }

  async function pressInWindow({ name, page }: LectureWindow): Promise<void> {
    const question = listAsked().find(({ asker, voters }) => asker !== null && !voters.has(name));
    if (!question) return;
    members.toggleVote(name, question.id);
    await pressVote(page, toNumber(question.text));
  }

  async function askInWindow({ page }: LectureWindow, number: number): Promise<void> {
    const field = page.getByRole('textbox', { name: /^Message/ });
    await page.getByRole('button', { name: 'Ask as a question', exact: true }).click();
    await field.fill(createQuestionText(number));
    // On a phone, Enter begins a new line.
    await page.getByRole('button', { name: 'Send', exact: true }).click();
  }

  async function askPoll(): Promise<void> {
    pollId = await members.post(1, 'Shall we repeat the proof next week?', {
      poll: {
        options: ['Yes, all of it', 'Only the second part', 'No'],
        several: false,
        resultsAfter: 'vote',
        minutes: Math.max(1, Math.floor(minutes * 0.6)),
      },
    });
  }

  add(questionCount - students.length, [0, 0.6], (n) =>
    members.ask(chooseMember(), createQuestionText(n + 1)),
  );
  add(voteCount - students.length * windowVoteCount, [0.03, 1], vote);
  add(postCount, [0, 1], (n) => members.post(chooseMember(), university.createMessageText(n)));
  add(answerCount, [0.2, 0.9], answer);
  add(1, [0.3, 0.3], askPoll);
  add(pollVoteCount, [0.32, 0.7], (n) => {
    const choice = Math.floor(pollCounts.length * Math.random() ** 2);
    pollCounts[choice]! += 1;
    return members.request(n, { type: 'choose', messageId: pollId, choices: [choice] });
  });

  /** One window does one thing at a time. */
  const queues = new Map<LectureWindow, Promise<unknown>>();
  const inTurn = (window: LectureWindow, act: () => Promise<unknown>) => () => {
    const queue = (queues.get(window) ?? Promise.resolve()).then(act);
    queues.set(
      window,
      queue.catch(() => undefined),
    );
    return queue;
  };
  add(
    1,
    [0.05, 0.1],
    inTurn(studentA, () => askInWindow(studentA, questionCount - 1)),
  );
  add(
    1,
    [0.05, 0.1],
    inTurn(studentB, () => askInWindow(studentB, questionCount)),
  );
  add(
    1,
    [0.15, 0.15],
    inTurn(studentB, () => studentB.takeScreenshot(screenshots, 'room')),
  );
  add(
    1,
    [0.16, 0.16],
    inTurn(studentB, () => openLecturePanel(studentB.page)),
  );
  for (const student of students) {
    add(
      windowVoteCount,
      [0.2, 0.95],
      inTurn(student, () => pressInWindow(student)),
    );
  }
  add(doneCount, [0.25, 0.95], inTurn(assistant, markDone));
  for (const share of [0.2, 0.5, 0.8]) {
    add(1, [share, share], () => takeScreenshots(`at-${share * 100}-percent`));
  }

  async function play(): Promise<void> {
    const startTime = performance.now();
    const running: Promise<unknown>[] = [];
    for (const { atMs, act } of acts.toSorted((a, b) => a.atMs - b.atMs)) {
      await sleep(Math.max(0, startTime + atMs - performance.now()));
      running.push(act().catch((error: unknown) => members.failures.push(String(error))));
    }
    await Promise.all(running);
  }

  return {
    windows,
    play,
    getPoll: () => ({ messageId: pollId, counts: pollCounts }),
    listQuestions: () =>
      listAsked().map(({ text, voters }) => ({ number: toNumber(text), votes: voters.size })),
    takeScreenshots,
  };
}

function toNumber(text: string): number {
  return Number(/^On slide (\d+):/.exec(text)?.[1]);
}
