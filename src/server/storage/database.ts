// The tables as Kysely sees them. Nothing here may pair an account with a persona: an enrolment
// names the account, a persona only its member, and just the server's key leads from one to the other.
import type { Kysely, Transaction } from 'kysely';

/** Tables of better-auth, under our names; its dates are text in SQLite and timestamps in PostgreSQL. */
interface AccountRow {
  id: string;
  email: string;
  emailVerified: boolean | number;
  name: string;
  image: string | null;
  createdAt: unknown;
  updatedAt: unknown;
}

interface ClassRow {
  classId: string;
  /** The head of the class's log. */
  seq: number;
  /** How many messages were ever posted. */
  ordinal: number;
  /** Goes into every persona key of the class; without it no persona can be found again. */
  salt: string;
  status: 'active' | 'deleted';
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
}

interface EnrolmentRow {
  accountId: string;
  classId: string;
  /** Days since 1970. */
  joinedDay: number;
}

interface PersonaRow {
  classId: string;
  memberId: string;
  /** HMAC-SHA-256(server key, class salt ‖ account id), base64url. */
  memberKey: string;
  anonymousName: string;
  icon: string;
  /** 1 once others have seen it: with its first message. */
  appeared: number;
}

interface MessageRow {
  classId: string;
  /** Its place in the class's log. */
  seq: number;
  /** Counts messages alone. */
  ordinal: number;
  id: string;
  memberId: string;
  text: string;
  /** Of the first body: tells a retry from another message under the same id. */
  digest: string;
  createdAt: number;
}

/** `ref` is the id of the row that changed: a message, a persona, or the class itself (''). */
interface LogRow {
  classId: string;
  seq: number;
  kind: 'posted' | 'persona' | 'class';
  ref: string;
}

/** Facts about this database: its epoch and the check value of its key. */
interface FactRow {
  name: string;
  value: string;
}

export interface Tables {
  accounts: AccountRow;
  classes: ClassRow;
  enrolments: EnrolmentRow;
  personas: PersonaRow;
  messages: MessageRow;
  log: LogRow;
  facts: FactRow;
}

/** Reads outside a transaction, or inside one. */
export type Reader = Kysely<Tables>;
/** Demanded by whatever writes. */
export type Writer = Transaction<Tables>;
