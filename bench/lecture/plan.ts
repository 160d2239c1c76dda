// What happens in the lecture, and when: questions, votes, posts, answers, marks and a poll, at random moments.
import { setTimeout as sleep } from 'node:timers/promises';
import { university } from '#tests/support/university.ts';
import type { AskedQuestion, Members } from './members.ts';
import { createQuestionText } from './question-texts.ts';
import {
  askInWindow,
  type LectureWindow,
  openLecturePanel,
  pressDone,
  pressVote,
} from './windows.ts';

const questionCount = 40;
const voteCount = 2000;
const postCount = 300;
const answerCount = 8;
const doneCount = 8;
const pollVoteCount = 250;
/** The questions of the two students with a window. */
const windowQuestionCount = 2;
/** The votes of each of them. */
const windowVoteCount = 6;

export interface LectureWindows {
  assistant: LectureWindow;
  studentA: LectureWindow;
  studentB: LectureWindow;
  hall: LectureWindow;
}

interface Options {
  members: Members;
  windows: LectureWindows;
  minutes: number;
  takeScreenshots(moment: string): Promise<void>;
}

interface PlannedAct {
  atMs: number;
  act: () => Promise<unknown>;
}

export class Lecture {
  /** How many have voted for each option of the poll. */
  readonly pollCounts = [0, 0, 0];
  pollId = '';
  readonly #members: Members;
  readonly #windows: LectureWindows;
  readonly #minutes: number;
  readonly #takeScreenshots: Options['takeScreenshots'];
  readonly #acts: PlannedAct[] = [];
  /** One window does one thing at a time. */
  readonly #queues = new Map<LectureWindow, Promise<unknown>>();
  readonly #doneNumbers = new Set<number>();
  readonly #answeredIds = new Set<string>();

  constructor({ members, windows, minutes, takeScreenshots }: Options) {
    this.#members = members;
    this.#windows = windows;
    this.#minutes = minutes;
    this.#takeScreenshots = takeScreenshots;
    this.#planMembers();
    this.#planWindows();
  }

  async play(): Promise<void> {
    const startTime = performance.now();
    const acts: Promise<unknown>[] = [];
    for (const { atMs, act } of this.#acts.toSorted((a, b) => a.atMs - b.atMs)) {
      await sleep(Math.max(0, startTime + atMs - performance.now()));
      acts.push(act().catch((error: unknown) => this.#members.failures.push(String(error))));
    }
    await Promise.all(acts);
  }

  /** Lists the questions as they must be in the end, by the number in their text. */
  listNumbers(): [number, number][] {
    return this.#listQuestions().map(({ text, voters }) => [toNumber(text), voters.size]);
  }

  #planMembers(): void {
    this.#add(questionCount - windowQuestionCount, [0, 0.6], (n) =>
      this.#members.ask(this.#chooseMember(), createQuestionText(n + 1)),
    );
    this.#add(voteCount - windowQuestionCount * windowVoteCount, [0.03, 1], () => this.#vote());
    this.#add(postCount, [0, 1], (n) =>
      this.#members.post(this.#chooseMember(), university.createMessageText(n)),
    );
    this.#add(answerCount, [0.2, 0.9], () => this.#answer());
    this.#add(1, [0.3, 0.3], () => this.#askPoll());
    this.#add(pollVoteCount, [0.32, 0.7], (n) => this.#voteInPoll(n));
  }

  #planWindows(): void {
    const { assistant, studentA, studentB } = this.#windows;
    for (const [n, student] of [studentA, studentB].entries()) {
      const text = createQuestionText(questionCount - n);
      this.#addInWindow(student, 1, [0.05, 0.1], () => askInWindow(student, text));
      this.#addInWindow(student, windowVoteCount, [0.2, 0.95], () => this.#voteInWindow(student));
    }
    this.#addInWindow(studentB, 1, [0.15, 0.15], () => this.#takeScreenshots('room'));
    this.#addInWindow(studentB, 1, [0.16, 0.16], () => openLecturePanel(studentB.page));
    this.#addInWindow(assistant, doneCount, [0.25, 0.95], () => this.#markDone());
    for (const share of [0.2, 0.5, 0.8]) {
      this.#add(1, [share, share], () => this.#takeScreenshots(`at-${share * 100}-percent`));
    }
  }

  /** Adds acts at random moments of this part of the lecture. */
  #add(count: number, [from, to]: [number, number], act: (n: number) => Promise<unknown>): void {
    for (let n = 0; n < count; n++) {
      const share = from + ((to - from) * (n + Math.random())) / count;
      this.#acts.push({ atMs: share * this.#minutes * 60_000, act: () => act(n) });
    }
  }

  #addInWindow(
    window: LectureWindow,
    count: number,
    part: [number, number],
    act: () => Promise<unknown>,
  ): void {
    this.#add(count, part, () => {
      const queue = (this.#queues.get(window) ?? Promise.resolve()).then(act);
      const settledQueue = queue.catch(() => undefined);
      this.#queues.set(window, settledQueue);
      return queue;
    });
  }

  #listQuestions(): AskedQuestion[] {
    return [...this.#members.questions.values()];
  }

  #chooseMember(): number {
    return Math.floor(Math.random() * this.#members.count);
  }

  /** A member who has voted takes the vote back. Some questions get many votes, and most get few. */
  async #vote(): Promise<void> {
    const questions = this.#listQuestions();
    const question = questions[Math.floor(questions.length * Math.random() ** 2)];
    const voter = this.#chooseMember();
    if (question && voter !== question.asker) await this.#members.vote(voter, question.id);
    else await this.#vote();
  }

  async #voteInWindow({ name, page }: LectureWindow): Promise<void> {
    const question = this.#listQuestions().find(
      ({ asker, voters }) => asker !== null && !voters.has(name),
    );
    if (!question) return;
    await pressVote(page, toNumber(question.text));
    this.#members.toggleVote(name, question.id);
  }

  /** A reply of another member, which the member who asked marks as the answer. */
  async #answer(): Promise<void> {
    const question = this.#listQuestions().find(
      ({ id, asker }) => asker !== null && !this.#answeredIds.has(id),
    );
    if (question?.asker === undefined || question.asker === null) return;
    const { id, asker } = question;
    this.#answeredIds.add(id);
    const text = university.createMessageText(this.#answeredIds.size);
    const answerId = await this.#members.post(this.#chooseMember(), text, { replyTo: id });
    await this.#members.request(asker, { type: 'answer', messageId: id, answerId });
  }

  /** Staff answer the question with the most votes that is open. */
  async #markDone(): Promise<void> {
    const [question] = this.#listQuestions()
      .filter(({ id, text }) => {
        return !this.#answeredIds.has(id) && !this.#doneNumbers.has(toNumber(text));
      })
      .toSorted((a, b) => b.voters.size - a.voters.size);
    if (!question) return;
    this.#doneNumbers.add(toNumber(question.text));
    await pressDone(this.#windows.assistant.page, toNumber(question.text));
  }

  async #askPoll(): Promise<void> {
    this.pollId = await this.#members.post(1, 'Shall we repeat the proof next week?', {
      poll: {
        options: ['Yes, all of it', 'Only the second part', 'No'],
        several: false,
        resultsAfter: 'vote',
        // After all votes, and before the lecture ends if it is long enough.
        minutes: Math.max(1, Math.round(this.#minutes * 0.6)),
      },
    });
  }

  async #voteInPoll(member: number): Promise<void> {
    const choice = Math.floor(this.pollCounts.length * Math.random() ** 2);
    const messageId = this.pollId;
    const frame = { type: 'choose', messageId, choices: [choice] };
    const { type } = await this.#members.request(member, frame);
    if (type === 'ack') this.pollCounts[choice]! += 1;
  }
}

function toNumber(text: string): number {
  return Number(/^On slide (\d+):/.exec(text)?.[1]);
}
