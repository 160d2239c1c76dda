// The tables as Kysely types. No row may link an account to a persona: a persona names only the member, and linking it to an
// account needs the server key.
import type { Generated, Kysely, Transaction } from 'kysely';
import type { Emoji } from '#contract/emojis.ts';
import type { AuditAction, ReviewBody, SanctionKind } from '#contract/moderation.ts';
import type { PrivateQuestion } from '#contract/private-questions.ts';
import type { ReportReason } from '#contract/report-reasons.ts';
import type { LogItem } from '#contract/socket.ts';

/** Everything else about an account is encrypted in its content: see accounts/account-records.ts. */
interface AccountRow {
  /** Random. */
  id: string;
  /** A keyed hash. */
  addressKey: string;
  /** A keyed hash; null if another account already has the mailbox. */
  mailboxKey: string | null;
  /** A keyed hash of the provider's issuer and subject; null if the account does not sign in through the provider. */
  signOnKey: string | null;
  content: Buffer;
}

/** The account of a session is encrypted in its content: see accounts/session-records.ts. */
interface SessionRow {
  /** The hash of the token. */
  id: string;
  /** Random, and the same for all sessions of an account. */
  sessionGroup: string;
  /** The push subscription of the browser, encrypted with the server key and padded; null if it has none. */
  push: string | null;
  content: Buffer;
}

/** A queued mail. */
interface OutgoingMailRow {
  /** Random. */
  id: string;
  /** 0 before the first attempt; later a multiple of five minutes. */
  dueAt: number;
  /** Encrypted with the server key, and padded to the same length for every mail. */
  content: string;
}

interface ClassRow {
  classId: string;
  /** The seq of the last log entry. */
  seq: number;
  /** The number of messages ever posted. */
  ordinal: number;
  /** Part of every memberId of the class. Without it no persona can be linked to its account. */
  salt: string;
  status: 'active' | 'archived' | 'deleted';
  name: string | null;
  courseName: string | null;
  subjectAbbreviation: string | null;
  courseNumber: string | null;
  sectionNumber: string | null;
  semesterSeason: string | null;
  /** The year of the term; only operators see it. */
  year: number | null;
  /** JSON as it was imported: older data may hold values other than lists. */
  classSchedule: string | null;
  beginClassTime: string | null;
  endClassTime: string | null;
  /** What others see. */
  memberCount: number;
  /**
   * How many have joined since the member count was published. Null if it is always published at once: no learning platform knows
   * who comes (LTI-16).
   */
  lateJoins: Generated<number | null>;
  /** Days since 1970. A finer time would reveal when the creator joined. */
  createdDay: number;
  /** Days since 1970; null unless the class is deleted. */
  deletedDay: number | null;
  /** The status that a restore brings back; null unless the class is deleted. */
  statusBefore: 'active' | 'archived' | null;
  /** Days since 1970; null unless the class has ended and still has messages (RETAIN-1). */
  endedDay: number | null;
  /** The last day on which the ended class can be reopened, in days since 1970. Null if it is active or its links are removed. */
  reopenableUntil: number | null;
  /** The class that replaces this ended duplicate. */
  mergedInto: string | null;
}

/** Absent until a moderator changes a setting. It does not tell who changed it. */
interface ClassSettingsRow {
  classId: string;
  version: number;
  slowModeSeconds: number;
  /** 1 or 0, like `picturesOff`. */
  readOnly: number;
  picturesOff: number;
  description: string;
  rules: string;
  /** The ids of the pinned messages as a JSON list. */
  pins: string;
  /** A JSON list of `QuietTime`s. */
  quietTimes: Generated<string>;
  /** The last lecture as JSON; null if there was none. */
  lecture: Generated<string | null>;
  /** The time zone of the class's hours, if lectures start by them; null if staff start them. */
  lectureZone: Generated<string | null>;
  /** The begin of the last meeting whose lecture was started by the hours of the class. */
  lectureStartedAt: Generated<number | null>;
  /** A JSON list of `Topic`s; null if there was never one. */
  topics: Generated<string | null>;
}

/** A link that shows the questions of a lecture on the computer of the hall. It does not tell who made it. */
interface PresenterLinkRow {
  classId: string;
  /** A hash. */
  token: string;
  /** The link is valid while this lecture is on. */
  lectureId: string;
  /** For a code that opens the screen of the hall until this time. Null for a link. */
  expiresAt: number | null;
}

/** A question that staff have not released, or that its asker withdrew. It is in no log, and has no time. */
interface WaitingQuestionRow {
  classId: string;
  /** The id of the message that a release posts. */
  id: string;
  /** The asker. Empty after a withdrawal. */
  memberId: string;
  /** Empty after a withdrawal. */
  text: string;
  /** The order in which the questions of the class were asked. */
  place: number;
  /** 1 if it went back to the asker, so that staff no longer see it. */
  returned: number;
  topicId: Generated<string | null>;
}

/** A question that only staff see, which has no time. No other row has a value of this one, except its turns. */
interface PrivateQuestionRow {
  classId: string;
  /** From the browser that asked. */
  id: string;
  /** An id from the server key, the account and this question: see chat/private-questions/private-questions.ts. */
  askerId: string;
  /** The order in which the questions of the class were asked. */
  place: number;
  /** What staff see: `new` and `withdrawn` not at all. A withdrawn one stays without turns, so that no late retry asks it again. */
  state: PrivateQuestion['state'] | 'new' | 'withdrawn';
  /** What the asker did, and staff see from a random moment on; null if that is nothing. */
  nextState: PrivateQuestion['state'] | 'withdrawn' | null;
}

interface PrivateTurnRow {
  classId: string;
  /** From the browser that wrote it. */
  id: string;
  questionId: string;
  /** From 0 on in each question. */
  position: number;
  /** The staff persona that wrote it. Empty: the asker did. */
  memberId: string;
  /** The name of staff at that moment. */
  staffName: string;
  text: string;
  /** 1 until the random moment at which the other side learns of it. */
  held: number;
}

/** What a class stores about its accounts: see store/registers.ts. */
interface RegisterRow {
  classId: string;
  kind: 'members' | 'readMarks' | 'preferences' | 'prepared' | 'staff' | 'factors';
  /** Random, and new at each write. */
  version: string;
  /** Encrypted with the server key, and padded. */
  content: Buffer;
}

/** Inserted when a member first appears to others, not when the member joins. */
interface PersonaRow {
  classId: string;
  /** An id from HMAC-SHA-256(server key, class salt ‖ account id): see chat/members/member-ids.ts. */
  memberId: string;
  anonymousName: string;
  /** Equal for all names that look alike; null for the default name, which members share. */
  nameKey: string | null;
  icon: string;
  /** 1 for a staff persona, whose memberId is derived with a separate key. */
  staff: Generated<number>;
  /** 1 once its link to an account is removed: the class had another salt when the memberId was derived. */
  unlinked: Generated<number>;
}

interface MessageRow {
  classId: string;
  /** The message's seq in the class's log. */
  seq: number;
  /** Counts only messages. */
  ordinal: number;
  id: string;
  memberId: string;
  /** Empty after deletion. */
  text: string;
  /** The pictures as a JSON list; null without any and after deletion. */
  images: string | null;
  /**
   * A keyed hash of the posted body, which tells a retry from another message with the same id. Empty after
   * an edit or a deletion.
   */
  digest: string;
  createdAt: number;
  editedAt: number | null;
  replyTo: string | null;
  /** 1 if deleted. The row stays, so that a late retry of the post is recognized. */
  deleted: number;
  /** 'removed' by a moderator: the content is erased, and the message keeps its place. */
  moderation: 'hidden' | 'removed' | null;
  /** The published number of votes; null if the message is no question. */
  votes: number | null;
  /** The id of the reply that is marked as the answer. */
  answerId: string | null;
  /** The id of the reply that staff endorsed. */
  endorsedId: string | null;
  /** A `StoredPoll` as JSON; null if the message is no poll. */
  poll: string | null;
  /** When the open poll closes. Null after it has closed. */
  pollClosesAt: number | null;
  /** The published `PollResult` as JSON; null while fewer than five have voted, or before anyone may see it. */
  pollTally: string | null;
  /** 1 if staff answered the question aloud. */
  done: Generated<number>;
  topicId: Generated<string | null>;
}

/** A vote of some member for a question, or in an open poll. */
interface QuestionVoteRow {
  classId: string;
  /** The seq of the question or of the poll. */
  seq: number;
  /** An id that is different for each question and poll: see chat/votes/votes.ts. */
  voter: string;
  /** The chosen options of a poll as eight digits, 1 for a chosen one. All have the same length. Null: for a question. */
  choices: string | null;
}

/** A reaction. There is at most one per member and message. */
interface ReactionRow {
  classId: string;
  /** The message's seq. */
  seq: number;
  memberId: string;
  emoji: Emoji;
}

/** A message mentions a member. The text of the message says the same; these rows are for counting. */
interface MentionRow {
  classId: string;
  /** The message's seq. */
  seq: number;
  /** The mentioned member. */
  memberId: string;
}

interface LogRow {
  classId: string;
  seq: number;
  /** Random: an entry of another history has the same seq but another id. */
  id: string;
  kind: LogItem['kind'];
  /** The id of the changed message or persona; '' for the class itself and its settings. */
  ref: string;
  /** The member whose reaction changed; null for other kinds. */
  memberId: string | null;
}

/** An uploaded picture or PDF. Its files are named after its id. */
interface ImageRow {
  imageId: string;
  classId: string;
  /** The uploader. */
  memberId: string;
  /**
   * A keyed hash of bytes, class and member: a message with the same picture uploaded again counts as a
   * retry.
   */
  digest: string;
  /** The total size of its files. */
  bytes: number;
  /** JSON: its size, its placeholder, whether it is animated, and how many pages a PDF has. */
  shape: string;
  /**
   * 'evidence' if its message is gone, and only moderators can see it. 'deleted' if no one can see the picture: its
   * files and then its row are deleted soon.
   */
  status: 'unsent' | 'sent' | 'evidence' | 'deleted';
  /** When an unsent picture is deleted, rounded to a quarter of an hour; null for other pictures. */
  expiresAt: number | null;
}

/** A change event: what servers hold in memory has changed. The name of the table is from an earlier version. */
interface ChangeEventRow {
  seq: number;
  kind:
    | 'class-deleted'
    | 'class-ended'
    | 'class-restored'
    | 'class-changed'
    /** `ref` is the duplicate, whose row names the class that replaces it. */
    | 'class-merged'
    /** Someone has joined a class. `ref` is the class, encrypted: see chat/members/memberships.ts. */
    | 'members-changed'
    /** Roles, or sanctions of members, have changed. `ref` is '' for the roles of operators. */
    | 'staff-changed'
    | 'suspensions-changed'
    | 'address-changed'
    | 'sessions-ended'
    | 'announcements-changed';
  /** The id of the class, or ''. */
  ref: string;
}

/** A class whose record in a hosted index is outdated. */
interface SearchIndexQueueRow {
  classId: string;
  /** The number of changes since the class was queued. A class that changes while it is indexed stays queued. */
  change: number;
}

/** Metadata of this database, such as its epoch and the check value of its key. */
interface MetadataRow {
  name: string;
  value: string;
}

/** All reports of one message or member until a decision, and the decision. It names no account. */
interface CaseRow {
  caseId: string;
  /** The position in the queue. */
  number: number;
  classId: string;
  /** The author of the message, or the reported member. */
  memberId: string;
  /** Null if the member was reported. */
  messageId: string | null;
  /** A decision is 'pending' until it takes effect. */
  status: 'open' | 'pending' | 'decided';
  version: number;
  /** The message, encrypted with the server key; null if a member was reported, and after it is erased. */
  evidence: string | null;
  decision: 'keep' | 'remove' | null;
  sanctionKind: 'mute' | 'removed' | null;
  /** The length of a mute. */
  sanctionHours: number | null;
  reason: string | null;
  /** The moderator's staff name. */
  decidedBy: string | null;
  /** A keyed hash of the moderator's account. Null before a decision, and after a change of the server key. */
  decider: Generated<string | null>;
  effectiveAt: number | null;
  /** Whether the decision asks operators about the account behind the persona: 0 or 1. */
  escalates: Generated<number>;
  /** 1 if a reporter asked for operators, so that the moderators of the class do not see the case. */
  forOperators: Generated<number>;
}

/** An escalation or an appeal, and the decision on it. It names no account. */
interface ReviewRow {
  reviewId: string;
  classId: string;
  memberId: string;
  caseId: string;
  kind: 'escalation' | 'appeal';
  /**
   * The id of what the review is about, which is unique: the case of an escalation, or the sanction or suspension of an appeal.
   */
  subject: string;
  /** Null for an escalation. */
  subjectKind: SanctionKind | null;
  /** Encrypted with the server key and padded; null when it is erased. */
  text: string | null;
  /** Days since 1970. */
  day: number;
  /** A decision is 'pending' until it takes effect. */
  status: 'open' | 'pending' | 'decided';
  version: number;
  decision: ReviewBody['decision'] | null;
  /** The length of a suspension; null if it has no end. */
  days: number | null;
  reason: string | null;
  /** The staff name of the moderator. */
  decidedBy: string | null;
  /** See `CaseRow.decider`. */
  decider: Generated<string | null>;
  effectiveAt: number | null;
}

/** A suspension of the account behind a persona. Nothing in it names the account without the server key. */
interface SuspensionRow {
  suspensionId: string;
  classId: string;
  /** The persona. */
  memberId: string;
  caseId: string;
  status: 'active' | 'lifted';
  /** Encrypted with the server key, all of one size: see chat/staff/suspensions.ts. */
  content: string;
}

interface ReportRow {
  classId: string;
  /** An id from HMAC-SHA-256(server key, class salt ‖ account id), with a separate key. */
  reporter: string;
  /** The id of the reported message or member. */
  target: string;
  caseId: string;
  reason: ReportReason;
  /** Encrypted with the server key and padded. */
  text: string;
  /** Days since 1970. */
  day: number;
}

/** A sanction of a persona. No row of an account changes with it. */
interface SanctionRow {
  sanctionId: string;
  classId: string;
  memberId: string;
  kind: 'mute' | 'removed';
  /** The end of a mute in milliseconds since 1970; null for a removal. */
  until: number | null;
  reason: string;
  staffName: string;
  /** Days since 1970. */
  day: number;
  caseId: string;
  status: 'active' | 'lifted';
}

/** An entry of the audit log. Entries are only added. */
interface AuditLogRow {
  number: number;
  /** Milliseconds since 1970, rounded down to the minute. */
  at: number;
  staffName: string;
  act: AuditAction;
  classId: string | null;
  memberId: string | null;
  caseId: string | null;
  reason: string;
  /** SHA-256 of the previous entry's hash and the other fields. */
  hash: string;
}

/** The history of the setting UNMASKING. Rows are only added. */
interface UnmaskingHistoryRow {
  number: number;
  state: 'on' | 'off';
  at: number;
}

/** A request to find the account behind a case's persona. It names neither the account nor the persona. */
interface UnmaskingRow {
  requestId: string;
  /** The order of the requests. */
  number: number;
  caseId: string;
  classId: string;
  reason: string;
  /** The staff name of the operator who opened it. */
  requestedBy: string;
  /**
   * An id from HMAC-SHA-256(server key, request ‖ the operator's account id): another operator must confirm. Empty after a
   * change of the server key.
   */
  requester: string;
  /** Milliseconds since 1970, rounded down to the minute. */
  requestedAt: number;
  status: 'open' | 'expired' | 'withdrawn' | 'used' | 'impossible';
  /** The staff name of the operator who confirmed or withdrew it. */
  closedBy: string | null;
}

/** How many reports arrived on a day. It outlives the reports and their classes. */
interface ReportCountRow {
  /** Days since 1970. */
  day: number;
  reports: number;
}

/** A banner for everyone or for one class. It does not name the operator who wrote it: the audit log does. */
interface AnnouncementRow {
  announcementId: string;
  /** Null for everyone. */
  classId: string | null;
  text: string;
  /** The order of the announcements. */
  number: number;
  /** Milliseconds since 1970, rounded down to the minute. */
  announcedAt: number;
  /** Milliseconds since 1970, a full minute. For a withdrawn announcement, the minute of its withdrawal. */
  endsAt: number;
  /** While one with 'maintenance' is shown, members cannot write. */
  status: 'published' | 'maintenance' | 'withdrawn';
}

/** An address that can have no account and gets no mail. The row holds no address. */
interface BlockedAddressRow {
  blockId: string;
  /** A keyed hash of the mailbox. */
  mailbox: string;
  /** The day and the reason, encrypted with the server key, all of one size. */
  content: string;
}

/** A report of someone who may have no account. Whose it is, what it says and the answer need the server key. */
interface OutsideReportRow {
  /** Random. */
  reportId: string;
  status: 'open' | 'decided';
  /** The day of the report, and then that of the decision, in days since 1970. */
  day: number;
  /** Encrypted with the server key, all of one size: see features/moderation/outside. */
  content: Buffer;
}

/** A learning platform whose courses lead here: see features/lti. */
interface LtiPlatformRow {
  /** Random. */
  platformId: string;
  issuer: string;
  clientId: string;
  /** Where people open the platform. It may frame the page that opens a window. */
  origin: string;
  authorizationUrl: string;
  keySetUrl: string;
  /** A JSON list of deployment ids. */
  deployments: string;
  /** 1 if its instructors become staff of their classes without a confirmation. */
  grantsStaff: number;
}

/** The class of a course on a platform. It does not tell who linked it. */
interface LtiCourseRow {
  platformId: string;
  deploymentId: string;
  contextId: string;
  classId: string;
}

/** What a platform, an operator or this server made for one use, and was used; or an answer that a frame of a platform will fetch once. */
interface LtiUsedTokenRow {
  hash: string;
  /** The answer, encrypted with the server key; null for a used token. */
  content: Generated<string | null>;
  /** Milliseconds since 1970, rounded up to the hour. */
  expiresAt: number;
}

/** The node that does one kind of work. */
interface LeaseRow {
  name: string;
  /** The random id of a node's process. */
  holder: string;
  /** The end by the database's clock. */
  expiresAt: number;
}

/** The last commit of a queue of a server on PostgreSQL. */
interface CommitReceiptRow {
  /** Random: it names neither the server nor the kind of the queue. */
  queue: string;
  /** Random for each commit. */
  id: string;
}

export interface Tables {
  accounts: AccountRow;
  sessions: SessionRow;
  outgoingMails: OutgoingMailRow;
  classes: ClassRow;
  classSettings: ClassSettingsRow;
  presenterLinks: PresenterLinkRow;
  waitingQuestions: WaitingQuestionRow;
  privateQuestions: PrivateQuestionRow;
  privateTurns: PrivateTurnRow;
  registers: RegisterRow;
  personas: PersonaRow;
  messages: MessageRow;
  questionVotes: QuestionVoteRow;
  reactions: ReactionRow;
  mentions: MentionRow;
  log: LogRow;
  images: ImageRow;
  changeEvents: ChangeEventRow;
  serverMetadata: MetadataRow;
  searchIndexQueue: SearchIndexQueueRow;
  cases: CaseRow;
  reports: ReportRow;
  sanctions: SanctionRow;
  reviews: ReviewRow;
  suspensions: SuspensionRow;
  auditLog: AuditLogRow;
  unmaskingHistory: UnmaskingHistoryRow;
  unmaskings: UnmaskingRow;
  reportCounts: ReportCountRow;
  announcements: AnnouncementRow;
  blockedAddresses: BlockedAddressRow;
  outsideReports: OutsideReportRow;
  ltiPlatforms: LtiPlatformRow;
  ltiCourses: LtiCourseRow;
  ltiUsedTokens: LtiUsedTokenRow;
  leases: LeaseRow;
  commitReceipts: CommitReceiptRow;
}

/** The database for reads, inside or outside a transaction. */
export type Database = Kysely<Tables>;
/** The database for writes. */
export type DatabaseTransaction = Transaction<Tables>;

/** The facts of one table for erasure, restores and key changes. */
type TableFacts = CommonFacts & (ErasedOrder | HarmlessOrder);

/**
 * Rows change when an account does something that its persona does not show. Rows of other tables have times, and could be paired with
 * rows in the same order. Therefore the server erases the order of the rows: on PostgreSQL by `rewrittenColumn`, and on SQLite with
 * `shuffleNeighbors` where a row is inserted or grows.
 */
interface ErasedOrder {
  /**
   * A column of text or bytes that is neither a key nor indexed, or a column of the key if there is no other. On PostgreSQL, the server
   * writes the unchanged value again, which moves the row. The column is the longest one of the table, because PostgreSQL stores long
   * values in separate rows (TOAST), which keep their order until the value is written again.
   */
  rewrittenColumn: string;
}

interface HarmlessOrder {
  /** Where the order of the rows is visible anyway, or why it reveals nothing. */
  whyOrderIsHarmless: string;
  rewrittenColumn?: never;
}

interface CommonFacts {
  /** The key by which the rows of an erased class are deleted. Without it, they stay or have their own rule. */
  erasedBy?: string;
  /** How a new server key changes the memberIds: by one update per class, or entry by entry along the chain of hashes. */
  memberIds?: 'updated' | 'chained';
  /** Whether PostgreSQL is vacuumed after an erasure. */
  isVacuumed?: true;
  /** Whether a restore changes the number of rows. */
  isChangedByRestore?: true;
}

/**
 * All tables, in the order in which a class is erased: messages come before the rows that refer to them. A table without
 * facts does not compile.
 */
const tableFacts: Record<keyof Tables, TableFacts> = {
  messages: {
    whyOrderIsHarmless: 'seq',
    erasedBy: 'seq',
    memberIds: 'updated',
    isVacuumed: true,
  },
  questionVotes: {
    erasedBy: 'seq',
    rewrittenColumn: 'voter',
    isVacuumed: true,
  },
  reactions: {
    whyOrderIsHarmless: 'seq, and the log',
    erasedBy: 'seq',
    memberIds: 'updated',
    isVacuumed: true,
  },
  mentions: {
    whyOrderIsHarmless: 'seq',
    erasedBy: 'seq',
    memberIds: 'updated',
    isVacuumed: true,
  },
  log: { whyOrderIsHarmless: 'seq', erasedBy: 'seq', memberIds: 'updated' },
  classSettings: {
    whyOrderIsHarmless: 'names no member',
    erasedBy: 'classId',
  },
  presenterLinks: {
    whyOrderIsHarmless: 'names no member',
    erasedBy: 'token',
  },
  // A new key deletes its rows, and so does the end of the links of a class.
  waitingQuestions: {
    whyOrderIsHarmless: 'place',
    erasedBy: 'id',
    isVacuumed: true,
  },
  // Its place is visible in its class, but not which questions of several classes were asked in a row.
  privateQuestions: {
    rewrittenColumn: 'askerId',
    erasedBy: 'id',
    isVacuumed: true,
  },
  privateTurns: {
    erasedBy: 'id',
    rewrittenColumn: 'text',
    isVacuumed: true,
  },
  personas: {
    whyOrderIsHarmless: 'the first entry of the log with the memberId',
    erasedBy: 'memberId',
    memberIds: 'updated',
    isVacuumed: true,
  },
  reports: {
    erasedBy: 'reporter',
    rewrittenColumn: 'text',
    isVacuumed: true,
  },
  unmaskings: { whyOrderIsHarmless: 'number', erasedBy: 'requestId' },
  // The transaction of a case is that of its first report.
  cases: {
    erasedBy: 'caseId',
    memberIds: 'updated',
    rewrittenColumn: 'evidence',
    isVacuumed: true,
  },
  sanctions: {
    whyOrderIsHarmless: 'names only personas',
    erasedBy: 'sanctionId',
    memberIds: 'updated',
  },
  reviews: {
    whyOrderIsHarmless: 'names only personas',
    erasedBy: 'reviewId',
    memberIds: 'updated',
  },
  suspensions: {
    whyOrderIsHarmless: 'names only personas',
    erasedBy: 'suspensionId',
    memberIds: 'updated',
  },
  announcements: {
    whyOrderIsHarmless: 'number',
    erasedBy: 'announcementId',
  },
  ltiCourses: {
    // The platform's log says when an instructor opened a course. It says nothing of a persona, and neither does the row.
    whyOrderIsHarmless: 'names no member',
    erasedBy: 'contextId',
  },
  registers: {
    erasedBy: 'kind',
    rewrittenColumn: 'content',
    isVacuumed: true,
  },
  // Their files are deleted first: features/class-admin/deleted-classes.ts.
  images: {
    whyOrderIsHarmless: 'names only personas',
    memberIds: 'updated',
    isVacuumed: true,
  },
  // The row of the class is erased last.
  classes: { whyOrderIsHarmless: 'names no member', isVacuumed: true },
  auditLog: { whyOrderIsHarmless: 'number', memberIds: 'chained' },
  accounts: {
    rewrittenColumn: 'content',
    isVacuumed: true,
  },
  sessions: {
    rewrittenColumn: 'content',
    isVacuumed: true,
  },
  blockedAddresses: {
    whyOrderIsHarmless: 'operators write it, and its ids are in no other table',
    isVacuumed: true,
  },
  outsideReports: {
    whyOrderIsHarmless: 'names no one: each is encrypted',
    isVacuumed: true,
  },
  outgoingMails: {
    whyOrderIsHarmless: 'names no one: each is encrypted',
    isChangedByRestore: true,
  },
  serverMetadata: {
    whyOrderIsHarmless: 'names no one',
    isVacuumed: true,
    isChangedByRestore: true,
  },
  changeEvents: { whyOrderIsHarmless: 'seq' },
  searchIndexQueue: { whyOrderIsHarmless: 'names no member' },
  unmaskingHistory: { whyOrderIsHarmless: 'number' },
  reportCounts: { whyOrderIsHarmless: 'day' },
  ltiPlatforms: { whyOrderIsHarmless: 'names no one' },
  ltiUsedTokens: { whyOrderIsHarmless: 'names no one' },
  leases: { whyOrderIsHarmless: 'names no one' },
  commitReceipts: { whyOrderIsHarmless: 'names no one' },
};

type TableName = keyof Tables;

interface TableWith<Fact extends keyof TableFacts> {
  table: TableName;
  fact: NonNullable<TableFacts[Fact]>;
}

/** @returns the tables that have the fact, in the order of `tableFacts` */
export function listTables<Fact extends keyof TableFacts>(name: Fact): TableWith<Fact>[] {
  const tables = Object.keys(tableFacts) as TableName[];
  return tables.flatMap((table) => {
    const fact = tableFacts[table][name];
    return fact ? [{ table, fact }] : [];
  });
}
