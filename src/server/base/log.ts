// The server's log: JSON lines on standard output. A line holds an event name and only the fields below, so
// that it cannot leak an account, an address, a class or text.
import { pino } from 'pino';
import { getErrorCode } from './startup-failure.ts';

export type MailFailureReason =
  | 'rejected'
  | 'sign-in'
  | 'certificate'
  | 'tls'
  | 'connection-refused'
  | 'unknown-host'
  | 'timeout'
  | 'connection-lost'
  | 'file'
  | 'unreadable'
  | 'other';

export interface LogFields {
  /**
   * The log keeps the kind of the error and where it was thrown, never its message, which may quote user
   * input.
   */
  error?: unknown;
  /** The route's pattern, such as /api/classes/:classId. */
  route?: string;
  status?: number;
  milliseconds?: number;
  /** The file name of a mail, a theme or a backup. */
  file?: string;
  /**
   * Why a theme file is invalid, or why there is no backup. The operator writes themes, and the reasons of backups are
   * fixed sentences with names of files and tables, so this contains no personal data.
   */
  reason?: string;
  count?: number;
  /** A season and a date of TERM_ENDS, such as 'Fall 2026-12-20'. */
  term?: string;
  /** The version of this program. */
  version?: string;
  /** What keeps decoders away from the data. */
  sandbox?: 'bubblewrap' | 'landlock';
  /** A fixed sentence that tells the operator what to do. */
  hint?: string;
  /** How long the mail's file is kept. */
  retentionHours?: number;
  /** Why the mail server rejected a mail. Never its own text, which may quote the address. */
  mailProblem?: MailFailureReason;
  smtpCode?: number;
  /** The enhanced status, for example '5.1.1'. */
  enhancedStatus?: string;
  /** Whether the server retries the mail. */
  retry?: boolean;
}

export type LogEvent =
  | 'server.started'
  | 'sandbox.found'
  | 'sandbox.missing'
  | 'server.draining'
  | 'server.stopped'
  | 'mail.written'
  | 'mail.failed'
  | 'mail.unreachable'
  | 'mail.queue-failed'
  | 'mail.queue-full'
  | 'mail.not-removed'
  | 'request.failed'
  | 'reply.not-allowed'
  | 'socket.failed'
  | 'commit.failed'
  | 'commit.blocked'
  | 'erase.failed'
  | 'order.failed'
  | 'publish.failed'
  | 'lectures.failed'
  | 'votes.failed'
  | 'sign-on.failed'
  | 'lti.rejected'
  | 'changes.failed'
  | 'removal.failed'
  | 'reseal.failed'
  | 'registers.damaged'
  | 'decision.failed'
  | 'threat-mail.failed'
  | 'work-mails.failed'
  | 'digest.failed'
  | 'lease.failed'
  | 'bus.lost'
  | 'bus.connected'
  | 'bus.refused'
  | 'icons.failed'
  | 'icons.no-logo'
  | 'uploads.rejected'
  | 'image.too-slow'
  | 'image.process-died'
  | 'pdf.too-slow'
  | 'pdf.process-died'
  | 'image.store-unreachable'
  | 'image.not-stored'
  | 'image.not-deleted'
  | 'term.upcoming'
  | 'database.missing'
  | 'links.removed'
  | 'term.ended'
  | 'term.failed'
  | 'backup.made'
  | 'backup.failed'
  | 'backup.skipped'
  | 'search.failed'
  | 'push.failed'
  | 'push.dropped'
  | 'push.not-reloaded'
  | 'push.not-removed'
  | 'index.failed'
  | 'index.written'
  | 'index.refused'
  | 'metrics.failed'
  | 'theme.refused'
  | 'database.lost'
  | 'database.taken'
  | 'migration.waiting'
  | 'proxy.untrusted'
  | 'proxy.no-upgrade';

export interface Log {
  info(event: LogEvent, fields?: LogFields): void;
  warn(event: LogEvent, fields?: LogFields): void;
  error(event: LogEvent, fields?: LogFields): void;
}

/** @param destination receives each line; standard output by default */
export function createLog(destination: { write(line: string): void } = process.stdout): Log {
  const out = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const write =
    (severity: 'info' | 'warn' | 'error') =>
    (event: LogEvent, fields: LogFields = {}) =>
      out[severity]({
        event,
        ...fields,
        ...(fields.error ? { error: describe(fields.error) } : {}),
      });
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

function describe(error: unknown): { name: string; code?: string; at?: string } {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = getErrorCode(error);
  const stackLine = toStackLines(error)
    .find((line) => /^\s+at /.test(line))
    ?.trim();
  return {
    name: error.name,
    ...(code ? { code } : {}),
    ...(stackLine
      ? { at: stackLine.replace(/^at /, '').replace(/file:.*\/(src|node_modules)\//, '$1/') }
      : {}),
  };
}

/** The lines of the stack after the message, whose own lines can look like theirs. */
function toStackLines({ message, stack = '' }: Error): string[] {
  const start = stack.indexOf(message);
  return start < 0 ? [] : stack.slice(start + message.length).split('\n');
}
