// How often anything may be done: every limit of the server, each of them a setting (CONF-15).

/** `count` at once; then as many in each `periodMs`, one after the other (LIMIT-20). */
export interface Rate {
  count: number;
  periodMs: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Per account, but for those of who is not signed in: one address may be a whole campus. */
export const defaultRates = {
  /** Per network. */
  signUps: { count: 2000, periodMs: 10 * minute }, // LIMIT-1
  /** Those that fail, per network; a browser that the account knows is not counted. */
  signIns: { count: 1000, periodMs: 10 * minute }, // LIMIT-2
  /** Those that fail, per account and network; the period is the quiet after which they are forgotten. */
  failedSignIns: { count: 10, periodMs: 10 * minute }, // LIMIT-3
  /** Those that fail, per account: past it each network has one before it waits. */
  failedSignInsOfAccount: { count: 100, periodMs: 10 * minute }, // LIMIT-33
  /** Those that fail, per network: past it its attempts wait behind others'. */
  suspectSignIns: { count: 30, periodMs: 10 * minute }, // LIMIT-34
  /** Mailed links to sign up, per e-mail address and network. */
  signUpMails: { count: 3, periodMs: hour }, // LIMIT-35
  /** Per e-mail address that a reset is asked for. */
  resetMails: { count: 3, periodMs: hour }, // LIMIT-4
  /** Resets asked for, per network. */
  resets: { count: 1000, periodMs: 10 * minute }, // LIMIT-22
  /** Of every kind, per e-mail address that they go to. */
  mails: { count: 10, periodMs: hour }, // LIMIT-23
  posts: { count: 30, periodMs: 10 * second }, // LIMIT-5
  edits: { count: 30, periodMs: 10 * second }, // LIMIT-6
  deletes: { count: 30, periodMs: 10 * second }, // LIMIT-6
  reactions: { count: 30, periodMs: 10 * second }, // LIMIT-6
  uploads: { count: 20, periodMs: 10 * minute }, // LIMIT-7
  searches: { count: 20, periodMs: second }, // LIMIT-8
  newClasses: { count: 50, periodMs: day }, // LIMIT-9
  /** A long past takes a while to write. */
  exports: { count: 10, periodMs: hour }, // LIMIT-32
  /** Joins and leaves together. */
  memberships: { count: 60, periodMs: minute }, // LIMIT-24
  historyPages: { count: 200, periodMs: 10 * second }, // LIMIT-24
  /** A browser that comes back asks for up to 64 classes, and may have many tabs. */
  subscriptions: { count: 2000, periodMs: minute }, // LIMIT-24
  readMarks: { count: 100, periodMs: 10 * second }, // LIMIT-24
  /** Sockets opened. */
  sockets: { count: 120, periodMs: minute }, // LIMIT-24
  /** Pictures downloaded. A room may show 50, and each is asked for again when it is opened. */
  pictures: { count: 600, periodMs: 10 * second }, // LIMIT-43
  /** HTTP calls of every kind. */
  calls: { count: 300, periodMs: 10 * second }, // LIMIT-24
  /** The same of who is not signed in, per address. */
  visits: { count: 3000, periodMs: 10 * second }, // LIMIT-24
  /** HTTP refusals that are told at once; what is more is told later. Of a caller, as `calls` and `visits`. */
  refusals: { count: 20, periodMs: 10 * second }, // LIMIT-31
  /** Frames of every kind: past it they are read later, and not refused. */
  frames: { count: 1000, periodMs: 10 * second }, // LIMIT-25
} as const satisfies Record<string, Rate>;

export type RateName = keyof typeof defaultRates;

/** Null where the operator has lifted the limit. */
export type Rates = Readonly<Record<RateName, Rate | null>>;
