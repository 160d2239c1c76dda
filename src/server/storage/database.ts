// The tables as Kysely types. No row may link an account to a persona: an enrolment names only the account, a
// persona only the member, and linking them needs the server key.
import type { Kysely, Transaction } from 'kysely';
import type { Emoji } from '#contract/emojis.ts';
import type { LogItem } from '#contract/socket.ts';

/** The first four tables belong to better-auth. Its dates are text in SQLite and timestamps in PostgreSQL. */
interface AccountRow {
  id: string;
  email: string;
  /** A keyed hash; null if another account already has the mailbox. */
  mailboxKey: string | null;
  emailVerified: boolean | number;
  name: string;
  image: string | null;
  createdAt: string | Date;
  updatedAt: unknown;
}

interface SessionRow {
  id: string;
  /** Hashed. */
  token: string;
  userId: string;
  /** Such as 'Chrome on Windows'. Nothing else about the browser is stored. */
  device: string | null;
  createdAt: string | Date;
  expiresAt: string | Date;
}

interface CredentialRow {
  id: string;
  accountId: string;
  providerId: string;
  userId: string;
  /** An argon2id hash. */
  password: string | null;
  createdAt: string | Date;
  updatedAt: unknown;
}

/** A mailed link to set a password. */
interface VerificationRow {
  id: string;
  /** Hashed. */
  identifier: string;
  /** The account's id; empty if the address has no account. */
  value: string;
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
  /** JSON as it was imported: older data may hold values other than lists. */
  classSchedule: string | null;
  beginClassTime: string | null;
  endClassTime: string | null;
  memberCount: number;
  /** Days since 1970. A finer time would reveal when the creator joined. */
  createdDay: number;
  /** Days since 1970; null unless the class is deleted. */
  deletedDay: number | null;
  /** The status that a restore brings back; null unless the class is deleted. */
  statusBefore: 'active' | 'archived' | null;
}

interface EnrolmentRow {
  accountId: string;
  classId: string;
  /** Days since 1970. */
  joinedDay: number;
}

/** Inserted when a member first appears to others, not when the member joins. */
interface PersonaRow {
  classId: string;
  /** From HMAC-SHA-256(server key, class salt ‖ account id): see domain/member-id.ts. */
  memberId: string;
  anonymousName: string;
  /** Equal for all names that look alike; null for the default name, which members share. */
  nameKey: string | null;
  icon: string;
  /**
   * How far the member has read. Stored here and not in the enrolment, because equal times would link the
   * two.
   */
  readSeq: number;
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
  /** The picture as JSON; null without one and after deletion. */
  image: string | null;
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
}

/** At most one per member and message. */
interface ReactionRow {
  classId: string;
  /** The message's seq. */
  seq: number;
  memberId: string;
  emoji: Emoji;
}

interface LogRow {
  classId: string;
  seq: number;
  /** Random: an entry of another history has the same seq but another id. */
  id: string;
  kind: LogItem['kind'];
  /** The id of the changed message or persona; '' for the class itself. */
  ref: string;
  /** The member whose reaction changed; null for other kinds. */
  memberId: string | null;
}

/** An uploaded picture. Its files are named after its id. */
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
  /** JSON: its size, its placeholder and whether it is animated. */
  shape: string;
  /**
   * Null after a message has the picture. Before that, the time at which it is removed, rounded to a quarter
   * of an hour. 0 if its files are due for removal.
   */
  keptUntil: number | null;
}

/** Classes that were deleted, ended or restored, in commit order. Every server polls it each second. */
interface RevocationRow {
  seq: number;
  kind: 'class-deleted' | 'class-ended' | 'class-restored';
  /** The id of the class. */
  ref: string;
}

/** A class whose record in a hosted index is outdated. */
interface SearchIndexQueueRow {
  classId: string;
  /** The number of changes since it was queued. A higher count than the indexed one keeps it queued. */
  change: number;
}

/** Metadata of this database, such as its epoch and the check value of its key. */
interface MetadataRow {
  name: string;
  value: string;
}

export interface Tables {
  accounts: AccountRow;
  sessions: SessionRow;
  credentials: CredentialRow;
  verifications: VerificationRow;
  outgoingMails: OutgoingMailRow;
  classes: ClassRow;
  enrolments: EnrolmentRow;
  personas: PersonaRow;
  messages: MessageRow;
  reactions: ReactionRow;
  log: LogRow;
  images: ImageRow;
  revocations: RevocationRow;
  facts: MetadataRow;
  searchDue: SearchIndexQueueRow;
}

/** For reads, inside or outside a transaction. */
export type Database = Kysely<Tables>;
/** Required for writes. */
export type DatabaseTransaction = Transaction<Tables>;
