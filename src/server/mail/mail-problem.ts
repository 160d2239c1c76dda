// Classifies mail errors without quoting them, because a mail server's text may contain the address.
import type { MailFailureReason } from '#server/base/log.ts';

export interface MailProblem {
  mailProblem: MailFailureReason;
  /** The reply code, for example 451, if the mail server replied. */
  smtpCode?: number;
  /** The enhanced status code, for example '4.7.1' (RFC 3463). */
  enhancedStatus?: string;
}

interface TransportError {
  code?: unknown;
  originalCode?: unknown;
  command?: unknown;
  response?: unknown;
  responseCode?: unknown;
}

export function toMailProblem(error: unknown): MailProblem {
  const problem: TransportError = error ?? {};
  const { response, responseCode } = problem;
  const [, status] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(String(response)) ?? [];
  return {
    mailProblem: toReason(problem),
    ...(typeof responseCode === 'number' && responseCode > 0 ? { smtpCode: responseCode } : {}),
    ...(status ? { enhancedStatus: status } : {}),
  };
}

/**
 * Tells whether the mail server rejected this recipient or this mail permanently. The operator can fix all other errors.
 */
export function isPermanent(error: unknown): boolean {
  const { code, command, responseCode } = (error ?? {}) as TransportError;
  const isAboutMail = code === 'EMESSAGE' || command === 'RCPT TO' || command === 'DATA';
  return (
    isAboutMail && typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600
  );
}

/** Tells whether the mail server cannot be used at the moment, for whatever mail. */
export function isOutage(error: unknown): boolean {
  const { command } = (error ?? {}) as TransportError;
  return toMailProblem(error).mailProblem !== 'rejected' || command === 'CONN';
}

/** Tells whether the mail server rejects MAIL_FROM, and so every mail. */
export function isSenderRejected(error: unknown): boolean {
  const { command } = (error ?? {}) as TransportError;
  return toMailProblem(error).mailProblem === 'rejected' && command === 'MAIL FROM';
}

const unsentReasons: ReadonlySet<MailFailureReason> = new Set([
  'sign-in',
  'certificate',
  'tls',
  'connection-refused',
  'unknown-host',
  'file',
]);

/** Tells whether the mail certainly did not arrive. If a connection breaks, the mail server may have accepted the mail. */
export function isSurelyUnsent(error: unknown): boolean {
  const { mailProblem, smtpCode } = toMailProblem(error);
  return smtpCode !== undefined || unsentReasons.has(mailProblem);
}

function toReason({ code, originalCode, responseCode }: TransportError): MailFailureReason {
  if (code === 'EAUTH') return 'sign-in';
  const detail = String(originalCode ?? code);
  if (/CERT|UNABLE_TO_(GET|VERIFY)/.test(detail)) return 'certificate';
  if (code === 'ETLS' || /SSL|TLS/.test(detail)) return 'tls';
  if (typeof responseCode === 'number' && responseCode > 0) return 'rejected';
  if (detail === 'ECONNREFUSED') return 'connection-refused';
  if (code === 'EDNS' || detail === 'ENOTFOUND') return 'unknown-host';
  if (code === 'ETIMEDOUT' || detail === 'ETIMEDOUT') return 'timeout';
  if (code === 'ECONNECTION' || code === 'ESOCKET') return 'connection-lost';
  return /^(ENOSPC|EACCES|EROFS|ENOENT|EDQUOT|EMFILE)$/.test(detail) ? 'file' : 'other';
}

const sentences: Record<MailFailureReason, string> = {
  rejected: 'The mail server refused the mail.',
  'sign-in': 'The mail server refused the user or the password of SMTP_URL.',
  certificate: 'The certificate of the mail server is not valid for its name.',
  tls: 'No encrypted connection to the mail server was possible. smtp:// is for port 587 or 25, smtps:// for port 465.',
  'connection-refused': 'No mail server listens at the address and port of SMTP_URL.',
  'unknown-host': 'The host of SMTP_URL is unknown.',
  timeout: 'The mail server did not answer in time.',
  'connection-lost': 'The connection to the mail server was lost.',
  file: 'The mail could not be written to the mail folder.',
  unreadable: 'The mail cannot be read with this server key.',
  other: 'The mail could not be sent.',
};

/** Describes the problem for the operator's terminal, with the mail server's reply, which must not be in the log. */
export function describeMailProblem(error: unknown): string {
  const { response, message } = (error ?? {}) as { response?: unknown; message?: unknown };
  const reply = typeof response === 'string' ? response : String(message);
  return `${sentences[toMailProblem(error).mailProblem]} It said: ${reply.replace(/\s+/g, ' ').trim()}`;
}
