// The rate limits of the server, and the frames that count against them. A call names its limit where it is
// registered. LIMIT_FACTOR and LIMITS change them (CONF-15).
import type { ClientFrame } from '#contract/socket.ts';

/** Allows a burst of `count`, then refills evenly at `count` per `periodMs` (LIMIT-20). */
export interface Rate {
  count: number;
  periodMs: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * Limits are per account. Callers who are not signed in count per network, because one address may be a
 * whole campus.
 */
export const defaultRates = {
  /** Per network. */
  signUps: { count: 2000, periodMs: 10 * minute }, // LIMIT-2
  /** Failed sign-ins per network. Attempts from a browser that the account knows do not count. */
  signIns: { count: 1000, periodMs: 10 * minute }, // LIMIT-2
  /** Failed sign-ins per account and network. They are forgotten after a quiet period of `periodMs`. */
  failedSignIns: { count: 10, periodMs: 10 * minute }, // LIMIT-3
  /** Failed sign-ins per account. Above it, each network gets one attempt before it waits. */
  failedSignInsOfAccount: { count: 100, periodMs: 10 * minute }, // LIMIT-33
  /**
   * Failed sign-ins per network. Above it, the network's attempts queue behind those of other networks.
   */
  suspectSignIns: { count: 30, periodMs: 10 * minute }, // LIMIT-34
  /** Right passwords per account, of sign-ins and of confirmations. Each costs a hash. */
  rightPasswords: { count: 20, periodMs: 10 * minute }, // LIMIT-50
  /** Tries to prove the second factor. */
  factorTries: { count: 20, periodMs: 10 * minute }, // FACTOR-10
  /** Sign-ins through the university's provider per network, each of two calls. */
  signOns: { count: 4000, periodMs: 10 * minute }, // LIMIT-2
  /** Requests of learning platforms per network, two per launch. */
  launches: { count: 4000, periodMs: 10 * minute }, // LIMIT-2
  /** Wrong codes of halls per network. */
  hallCodes: { count: 20, periodMs: hour }, // LIMIT-61
  /** Wrong codes of halls from all networks. A code has six digits, so this bounds what guesses find. */
  allHallCodes: { count: 60, periodMs: hour }, // LIMIT-61
  /** Sign-up link mails per mailbox and network. */
  signUpMails: { count: 3, periodMs: hour }, // LIMIT-35
  /** Password reset mails per mailbox and network, or per mailbox from browsers that the account knows. */
  resetMails: { count: 3, periodMs: hour }, // LIMIT-35
  /** Password reset requests per network. */
  resets: { count: 1000, periodMs: 10 * minute }, // LIMIT-2
  /** Mails of each kind per mailbox, from all networks. */
  mails: { count: 30, periodMs: hour }, // LIMIT-51
  /** Mails about reported threats per operator. */
  urgentMails: { count: 10, periodMs: hour }, // MOD-67
  posts: { count: 30, periodMs: 10 * second }, // LIMIT-5
  edits: { count: 30, periodMs: 10 * second }, // LIMIT-5
  deletes: { count: 30, periodMs: 10 * second }, // LIMIT-5
  /** Reactions, votes for questions and in polls, and marks of answers together. */
  reactions: { count: 30, periodMs: 10 * second }, // LIMIT-5
  /** Kilobytes of the frames of an account that post or edit. */
  textKilobytes: { count: 20_000, periodMs: day }, // LIMIT-54
  uploads: { count: 100, periodMs: 10 * minute }, // LIMIT-24
  /** Kilobytes that the uploads of an account need on the disk. */
  uploadKilobytes: { count: 300_000, periodMs: day }, // LIMIT-53
  /** PDFs that the server redraws. Each counts as an upload, too. */
  pdfs: { count: 10, periodMs: hour }, // PDF-14
  /** Seconds in which the pictures of an account are decoded. Above it, they wait for those of others. */
  pictureSeconds: { count: 60, periodMs: hour }, // PIC-89
  /** Seconds in which the PDFs of an account are drawn. Above it, they wait for those of others. */
  pdfSeconds: { count: 60, periodMs: hour }, // PDF-22
  searches: { count: 20, periodMs: second }, // LIMIT-24
  messageSearches: { count: 40, periodMs: 10 * second }, // LIMIT-24
  /** Questions that only staff see, and their turns. */
  privateTexts: { count: 500, periodMs: day }, // LIMIT-63
  /** Reports of messages and members. */
  reports: { count: 20, periodMs: day }, // LIMIT-24
  /** Reports from outside per network. Less than those of all, so that one network cannot keep others from reporting. */
  outsideReports: { count: 20, periodMs: day }, // LIMIT-62
  /** Reports from outside from all networks. Each takes space, and causes a mail. */
  allOutsideReports: { count: 100, periodMs: day }, // LIMIT-62
  /** Receipts of such reports per mailbox, which may be that of someone else; and decisions about them. */
  outsideMails: { count: 3, periodMs: day }, // LIMIT-62
  /** Requests to unmask. */
  unmaskings: { count: 10, periodMs: day }, // LIMIT-24
  /** A grant tells whether an address has an account. Proposals, and answers to courses, leave a row each. */
  grants: { count: 100, periodMs: day }, // MOD-90
  /** Searches for accounts, and actions on one: each tells whether an address has an account. */
  accountSearches: { count: 100, periodMs: day }, // ADMIN-33
  /** Appeals against sanctions. */
  appeals: { count: 20, periodMs: day }, // LIMIT-24
  newClasses: { count: 50, periodMs: day }, // LIMIT-24
  /** The export of a long history takes a while. */
  exports: { count: 10, periodMs: hour }, // LIMIT-24
  /** Joins and leaves together. */
  memberships: { count: 60, periodMs: minute }, // LIMIT-24
  historyPages: { count: 200, periodMs: 10 * second }, // LIMIT-24
  /** After a reconnect, each tab of a browser subscribes to up to 64 classes. */
  subscriptions: { count: 2000, periodMs: minute }, // LIMIT-24
  readMarks: { count: 100, periodMs: 10 * second }, // LIMIT-24
  /** Exceptions of pages per network. A page reports at most one a minute. */
  interfaceErrors: { count: 2000, periodMs: 10 * minute }, // LIMIT-2
  /** Opened sockets. */
  sockets: { count: 120, periodMs: minute }, // LIMIT-24
  /** Picture downloads. A room may show 50, and the browser requests them again when the room opens. */
  pictures: { count: 600, periodMs: 10 * second }, // LIMIT-24
  /** HTTP calls of every kind. */
  calls: { count: 300, periodMs: 10 * second }, // LIMIT-24
  /** HTTP calls of callers who are not signed in, per network. */
  visits: { count: 3000, periodMs: 10 * second }, // LIMIT-24
  /**
   * HTTP 429 replies that are sent immediately, per caller as in `calls` and `visits`. Further ones are
   * delayed.
   */
  refusals: { count: 20, periodMs: 10 * second }, // LIMIT-31
  /** Frames of every kind. Above it, the server delays reading instead of rejecting frames. */
  frames: { count: 1000, periodMs: 10 * second }, // LIMIT-25
} as const satisfies Record<string, Rate>;

export type RateName = keyof typeof defaultRates;

/**
 * The limits that each of several nodes counts alone: they protect a node's own processor and memory, and
 * are taken so often that telling the other nodes would cost more than it saves.
 */
export const ratesOfOneNode: ReadonlySet<RateName> = new Set([
  ...(['calls', 'visits', 'refusals', 'frames', 'pictures'] as const),
  ...(['pictureSeconds', 'pdfSeconds'] as const),
  ...(['subscriptions', 'historyPages', 'readMarks', 'searches'] as const),
]);

/** Null if the operator has turned the limit off. */
export type Rates = Readonly<Record<RateName, Rate | null>>;

/** The limit of each frame, in addition to `frames`. */
export const rateOfFrame: Record<ClientFrame['type'], RateName | null> = {
  subscribe: 'subscriptions',
  unsubscribe: null,
  post: 'posts',
  edit: 'edits',
  delete: 'deletes',
  react: 'reactions',
  vote: 'reactions',
  choose: 'reactions',
  answer: 'reactions',
  done: 'reactions',
  read: 'readMarks',
  // It shares the limit of read marks, because each of its frames reads the member. The hub also limits the notices (LIMIT-44).
  typing: 'readMarks',
  viewing: null,
};
