// The tables as Kysely sees them. Nothing here may pair an account with a persona: an enrolment
// names the account, a persona only its member, and just the server's key leads from one to the other.
import type { Kysely, Transaction } from 'kysely';
import type { Emoji } from '#contract/emojis.ts';
import type { LogItem } from '#contract/socket.ts';

/** Tables of better-auth, under our names; its dates are text in SQLite and timestamps in PostgreSQL. */
interface AccountRow {
  id: string;
  email: string;
  /** Keyed; null where another account has the mailbox already. */
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
  /** Such as 'Chrome on Windows': all that is kept of the browser. */
  device: string | null;
  createdAt: string | Date;
  expiresAt: string | Date;
}

interface CredentialRow {
  id: string;
  accountId: string;
  providerId: string;
  userId: string;
  /** Made by argon2id. */
  password: string | null;
  createdAt: string | Date;
  updatedAt: unknown;
}

/** A mailed link to set a password. */
interface VerificationRow {
  id: string;
  /** Hashed. */
  identifier: string;
  /** The account's id; empty where there is none for the address. */
  value: string;
}

/** A mail that the mail server has not taken yet. */
interface OutgoingMailRow {
  /** Random. */
  id: string;
  /** 0 until the first attempt; then a full five minutes. */
  dueAt: number;
  /** Encrypted with the server key, and equally long for every mail. */
  content: string;
}

interface ClassRow {
  classId: string;
  /** The head of the class's log. */
  seq: number;
  /** How many messages were ever posted. */
  ordinal: number;
  /** Goes into every memberId of the class; without it no persona can be found again. */
  salt: string;
  status: 'active' | 'archived' | 'deleted';
  name: string | null;
  courseName: string | null;
  subjectAbbreviation: string | null;
  courseNumber: string | null;
  sectionNumber: string | null;
  semesterSeason: string | null;
  /** JSON, as it came: older data holds other things than lists. */
  classSchedule: string | null;
  beginClassTime: string | null;
  endClassTime: string | null;
  memberCount: number;
  /** Days since 1970: finer would be the creator's time of joining. */
  createdDay: number;
  /** Days since 1970; null unless it is deleted. */
  deletedDay: number | null;
  /** What restoring it brings back; null unless it is deleted. */
  statusBefore: 'active' | 'archived' | null;
}

interface EnrolmentRow {
  accountId: string;
  classId: string;
  /** Days since 1970. */
  joinedDay: number;
}

/** Written when a member first appears to the others, not on joining. */
interface PersonaRow {
  classId: string;
  /** From HMAC-SHA-256(server key, class salt ‖ account id): see domain/member-id.ts. */
  memberId: string;
  anonymousName: string;
  /** The same for all names that look alike; null for 'Anonymous', which is everybody's. */
  nameKey: string | null;
  icon: string;
  /** What the member has seen of the class. Never with the enrolment: its times would pair the two. */
  readSeq: number;
}

interface MessageRow {
  classId: string;
  /** Its place in the class's log. */
  seq: number;
  /** Counts messages alone. */
  ordinal: number;
  id: string;
  memberId: string;
  /** Empty once deleted. */
  text: string;
  /** JSON of its picture, as it is shown; null without one, and once deleted. */
  image: string | null;
  /** Keyed, of the body as it was posted: tells a retry from another message under the same id. Empty after an edit or a deletion. */
  digest: string;
  createdAt: number;
  editedAt: number | null;
  replyTo: string | null;
  /** The row stays, so that a late retry of its post is known. */
  deleted: number;
}

/** At most one per member and message. */
interface ReactionRow {
  classId: string;
  /** The message's. */
  seq: number;
  memberId: string;
  emoji: Emoji;
}

interface LogRow {
  classId: string;
  seq: number;
  /** Random: another history's entry at the same seq has another one. */
  id: string;
  kind: LogItem['kind'];
  /** What changed: the id of a message or a persona, or '' for the class itself. */
  ref: string;
  /** Whose reaction it is. */
  memberId: string | null;
}

/** An uploaded picture, whose files are named after its id. */
interface ImageRow {
  imageId: string;
  classId: string;
  /** The uploader's. */
  memberId: string;
  /** Keyed, of the uploaded bytes, class and member: another upload of them makes the same message. */
  digest: string;
  /** Of its files together. */
  bytes: number;
  /** JSON: its size, placeholder and whether it moves. */
  shape: string;
  /**
   * Null once a message has it. Before that the time at which it is collected, to a quarter of an
   * hour; 0 when its files are to go, for good.
   */
  keptUntil: number | null;
}

/** What was taken away, ended or restored, in the order of the commits: every server reads it each second. */
interface RevocationRow {
  seq: number;
  kind: 'class-deleted' | 'class-ended' | 'class-restored';
  /** The id of the class. */
  ref: string;
}

/** A class whose record in a hosted index is behind. */
interface SearchIndexQueueRow {
  classId: string;
  /** How often it changed since it was due: one more than was told means that it is due still. */
  change: number;
}

/** Facts about this database: its epoch and the check value of its key. */
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

/** Reads outside a transaction, or inside one. */
export type Database = Kysely<Tables>;
/** Demanded by whatever writes. */
export type DatabaseTransaction = Transaction<Tables>;
