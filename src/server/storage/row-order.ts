// The common part of both engines' row order erasers.

/** Tables whose rows name an account. Their row order must reveal nothing. */
export const accountTables = [
  'accounts',
  'credentials',
  'sessions',
  'verifications',
  'enrolments',
] as const;

/** Shuffles the rows of the account tables soon after each change. */
export interface RowOrderEraser {
  /** Erases the remaining order, then stops. Call it before the database is closed. */
  stop(): Promise<void>;
}
