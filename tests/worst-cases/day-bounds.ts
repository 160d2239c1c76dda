// What the actions of one student can add in a day that stays (LIMIT-57): for each call and frame at its limits, with the
// worst inputs. An act without an entry adds nothing. The files of uploads are bounded by LIMIT-53.
import type { OperationName } from './stage.ts';

export interface DayBound {
  rows: number;
  megabytes: number;
  mails: number;
  files: number;
}

/** Rows, megabytes, mails, files. */
const createBound = (...[rows, megabytes, mails, files]: [number, number, number, number]) => ({
  rows,
  megabytes,
  mails,
  files,
});

/** What an account can do in a day. */
export const dayBounds: Partial<Record<OperationName, DayBound>> = {
  post: createBound(90_000, 60, 0, 0),
  edit: createBound(90_000, 40, 0, 0),
  react: createBound(260_000, 15, 0, 0),
  // Votes and reactions share their limit, so all three together add as much as one of them.
  vote: createBound(260_000, 15, 0, 0),
  choose: createBound(260_000, 15, 0, 0),
  // It replaces the row of the question.
  sendWaiting: createBound(0, 2, 0, 0),
  mailSignOnLink: createBound(800, 5, 800, 0),
  joinSignOn: createBound(0, 2, 0, 0),
  appeal: createBound(40, 1, 0, 0),
  createClass: createBound(200, 1, 0, 0),
  uploadImage: createBound(15_000, 6, 0, 30_000),
  // A threat is mailed to each of three operators, who have a limit of such mails.
  reportMember: createBound(80, 1, 240, 0),
};

/** All of them together, with the files of uploads: twice 300 MB in the first day, because a limit begins full. */
export const dayTotal: DayBound = createBound(980_000, 770, 1100, 30_000);

/**
 * What a network can do in a day, because the caller is signed out. Sign-ups add accounts only to a site that does not verify addresses.
 * What a reset adds is deleted after two hours. THREATS.md has these mails.
 */
export const dayBoundsOfNetwork: Partial<Record<OperationName, DayBound>> = {
  signUp: createBound(900_000, 300, 0, 0),
  requestPasswordReset: createBound(145_000, 50, 145_000, 0),
};

/** An action that adds something to another account each time, and of which a person has one. */
export const onceOfPerson: ReadonlySet<OperationName> = new Set<OperationName>(['finishSignOn']);

/**
 * Tables with a bound of their own: a class's log keeps 2,500 entries, change events are 1,000, an account has 50 sessions, 5,000 mails wait, and each other one has a row for something that the server has anyway.
 */
export const boundedTables: readonly string[] = [
  ...['log', 'changeEvents', 'sessions', 'preferences', 'readMarks'],
  ...['serverMetadata', 'leases', 'commitReceipts', 'reportCounts', 'outgoingMails'],
];
