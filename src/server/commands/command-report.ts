// What a command of `npm run admin` reports: the message for a terminal, and with --json all fields.
export interface CommandReport {
  /** Sentences that say what was done. */
  message: string;
  [field: string]: unknown;
}

/** The name in the audit log of a person who acts by command. The screen shows 'Command line'. */
export const administrator = '';
