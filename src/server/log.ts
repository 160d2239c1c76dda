// The server's own log: JSON lines on standard output. A line names an event and may carry only
// the fields listed here, so that no account, address, class or text can reach it.
import { pino } from 'pino';
import type { MailFailureReason } from './mail/mail-problem.ts';

export interface LogFields {
  /** The kind of an error and where it was thrown, never its message: those quote what people typed. */
  error?: unknown;
  /** The route's pattern, such as /api/classes/:classId. */
  route?: string;
  status?: number;
  milliseconds?: number;
  /** A mail's file name, or a theme's. */
  file?: string;
  /** What is wrong with a theme's file, which is the operator's own and tells of no person. */
  reason?: string;
  count?: number;
  /** What the operator can do about it: a fixed sentence. */
  hint?: string;
  /** How long the file of a mail is kept. */
  keptHours?: number;
  /** Why a mail was not taken; never the mail server's text, which may quote the address. */
  mailProblem?: MailFailureReason;
  smtpCode?: number;
  /** Such as '5.1.1'. */
  enhancedStatus?: string;
  /** Whether it is tried again. */
  retry?: boolean;
}

export type LogEvent =
  | 'server.draining'
  | 'server.stopped'
  | 'mail.written'
  | 'mail.failed'
  | 'mail.unreachable'
  | 'mail.queue-failed'
  | 'mail.not-removed'
  | 'request.failed'
  | 'reply.not-allowed'
  | 'socket.failed'
  | 'commit.failed'
  | 'erase.failed'
  | 'order.failed'
  | 'publish.failed'
  | 'auth.failed'
  | 'revocations.failed'
  | 'removal.failed'
  | 'image.too-slow'
  | 'image.maker-died'
  | 'image.store-unreachable'
  | 'image.not-stored'
  | 'image.not-deleted'
  | 'search.failed'
  | 'index.failed'
  | 'index.written'
  | 'index.refused'
  | 'theme.read'
  | 'theme.refused'
  | 'database.lost'
  | 'database.taken'
  | 'proxy.untrusted'
  | 'proxy.no-upgrade';

export interface Log {
  info(event: LogEvent, fields?: LogFields): void;
  warn(event: LogEvent, fields?: LogFields): void;
  error(event: LogEvent, fields?: LogFields): void;
}

/** @param destination takes each line; standard output by default */
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
  const code = (error as NodeJS.ErrnoException).code;
  const at = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))[0]
    ?.trim();
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(at ? { at: at.replace(/^at /, '').replace(/file:.*\/(src|node_modules)\//, '$1/') } : {}),
  };
}
