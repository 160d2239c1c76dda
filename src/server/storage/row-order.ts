// What both engines' erasers of the order of rows have in common.

/** Tables whose rows name an account: the order of their rows must say nothing. */
export const accountTables = [
  'accounts',
  'credentials',
  'sessions',
  'verifications',
  'enrolments',
] as const;

/** Takes the order in which rows came from the account tables, soon after each change there. */
export interface RowOrderEraser {
  /** Erases what is left, and ends. To be called before the database is closed. */
  stop(): Promise<void>;
}
