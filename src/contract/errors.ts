import english from '#texts/en.json' with { type: 'json' };
import { temporaryErrors } from './browser-errors.ts';
import type { Sanction } from './entities.ts';
import { fillLimits } from './fill-limits.ts';

/** All errors that the server can return, with the HTTP status. Their sentences are the texts `error.CODE`, safe to show to anyone. */
const statuses = {
  ...temporaryErrors,
  WRONG_EMAIL_DOMAIN: 400,
  EMAIL_CHARACTERS: 400,
  PASSWORD_LENGTH: 400,
  INVALID_LINK: 400,
  CLASS_ENDED: 403,
  READ_ONLY: 403,
  PICTURES_OFF: 403,
  CLASS_INCOMPLETE: 400,
  CLASS_TIMES: 400,
  MESSAGE_EMPTY: 400,
  MESSAGE_TOO_LONG: 400,
  IMAGE_TOO_LARGE: 413,
  IMAGE_TOO_MANY_PIXELS: 400,
  IMAGE_NOT_A_PICTURE: 400,
  IMAGE_BROKEN: 400,
  TOO_MANY_IMAGES: 400,
  /** The upload was not sent within an hour, or was already used. The browser must upload it again. */
  IMAGE_GONE: 409,
  PDF_TOO_LARGE: 413,
  PDF_NOT_A_PDF: 400,
  PDF_BROKEN: 400,
  UNMASKING_REASON: 400,
  NAME_EMPTY: 400,
  NAME_TOO_LONG: 400,
  NAME_CHARACTERS: 400,
  TOO_MANY_IGNORED: 400,
  NOT_FOUND: 404,
  UNAUTHENTICATED: 401,
  WRONG_CREDENTIALS: 401,
  EMAIL_NOT_VERIFIED: 403,
  ADDRESS_BLOCKED: 403,
  EMAIL_TAKEN: 409,
  PASSWORD_COMMON: 400,
  WRONG_PASSWORD: 403,
  SIGN_IN_AGAIN: 403,
  PASSWORDS_OFF: 403,
  SIGN_ON_CANCELLED: 403,
  SIGN_ON_EXPIRED: 400,
  SIGN_ON_EMAIL: 403,
  INVALID: 400,
  TOO_MANY_CLASSES: 409,
  /** The change names an older version of the settings. */
  SETTINGS_CHANGED: 409,
  TOO_MANY_MENTIONS: 400,
  IMAGE_TOO_ANIMATED: 400,
  /** Status 413, not 503: the outbox retries a temporary error without showing it. */
  STORAGE_FULL: 413,
  TOO_MANY_BYTES: 413,
  PDF_ENCRYPTED: 400,
  PDF_TOO_MANY_PAGES: 400,
  PDF_TOO_COMPLEX: 400,
  NOT_YOUR_MESSAGE: 403,
  NOT_YOURS_TO_EDIT: 403,
  OWN_REACTION: 403,
  TOO_MANY_REACTIONS: 409,
  OWN_QUESTION: 403,
  NO_QUESTION: 409,
  NO_POLL: 409,
  POLL_CLOSED: 409,
  TOO_MANY_POLLS: 409,
  NO_REPLY: 409,
  NO_LECTURE: 409,
  QUESTION_NOT_PLAIN: 409,
  TOO_MANY_WAITING: 409,
  TOO_MANY_LINKS: 409,
  NOT_ALLOWED: 403,
  NO_SUCH_ACCOUNT: 404,
  ALREADY_VERIFIED: 409,
  ACCOUNT_WITHOUT_PASSWORD: 409,
  OPERATOR_ACCOUNT: 409,
  MUTED: 403,
  REMOVED_FROM_CLASS: 403,
  SUSPENDED: 403,
  APPEAL_EMPTY: 400,
  APPEAL_TOO_LONG: 400,
  /** The sanction has ended, or a moderator lifted it. */
  NOTHING_TO_APPEAL: 409,
  /** The moderator who decided a sanction must not decide the appeal, if another person can. */
  OWN_DECISION: 403,
  OWN_CASE: 403,
  OWN_REPORT: 400,
  REPORT_TOO_LONG: 400,
  REASON_MISSING: 400,
  REASON_TOO_LONG: 400,
  ALREADY_DECIDED: 409,
  CASE_CHANGED: 409,
  DECISION_APPLIED: 409,
  UNMASKING_OFF: 403,
  UNMASKING_TOO_OLD: 403,
  UNMASKING_PENDING: 409,
  UNMASKING_CLOSED: 409,
  UNMASKING_OWN: 403,
  UNMASKING_IMPOSSIBLE: 409,
  NAME_RESERVED: 400,
  NAME_OF_TILE: 400,
  NAME_TAKEN: 409,
  ID_CONFLICT: 409,
  PREFERENCES_CHANGED: 409,
  TOO_MANY_SUBSCRIPTIONS: 400,
  FORBIDDEN_ORIGIN: 403,
  UNKNOWN_HOST: 421,
  UPGRADE_REQUIRED: 426,
  TOO_LARGE: 413,
  UPLOAD_INCOMPLETE: 400,
  PERSONA_UNLINKED: 403,
  CASE_ABOUT_YOU: 403,
  SITE_WITHOUT_PASSWORDS: 409,
  SAME_ADDRESS: 400,
  ADDRESS_STILL_BLOCKED: 403,
  ADDRESS_TAKEN: 409,
  ADDRESSES_DIFFER: 400,
  CLASS_NOT_REOPENABLE: 403,
  MERGE_ENDED: 403,
  MERGE_TERMS: 400,
  MERGE_SAME: 400,
  DIGEST_LINK_INVALID: 400,
  LAST_OPERATOR: 403,
  QUESTIONS_HELD: 403,
  CLASS_WAITING_FULL: 409,
  TOO_MANY_OWN_POLLS: 409,
  POLL_AS_QUESTION: 409,
  POLL_OPTIONS: 400,
  POLL_NOT_YOURS: 403,
  BLOCK_REASON: 400,
  POLL_NOT_OF_STAFF: 403,
  LECTURE_TOO_LONG: 400,
  PREPARED_EMPTY: 400,
  TOO_MANY_PREPARED: 400,
  PREPARE_AS_STAFF: 403,
  CLASS_WITHOUT_HOURS: 400,
  QUESTION_CHANGED: 404,
  LECTURE_OVER: 409,
  QUESTION_NOT_WAITING: 404,
  APPEAL_CHARACTERS: 400,
  REASON_CHARACTERS: 400,
  TEXT_CHARACTERS: 400,
  DESCRIPTION_CHARACTERS: 400,
  MESSAGE_CHARACTERS: 400,
  REVIEW_ALREADY_DECIDED: 409,
  REVIEW_CHANGED: 409,
  CASE_WITHOUT_MESSAGE: 400,
  DECISION_UNFIT: 400,
  QUERY_EMPTY: 400,
  SNOOZE_TOO_LONG: 400,
  DIGEST_OFF: 403,
  PUSH_SERVICE_UNKNOWN: 400,
  IGNORED_SELF: 400,
  CREATION_BY_OPERATORS: 403,
  NO_SUCH_CLASS: 404,
  ROLE_ENDED: 404,
  ANNOUNCEMENT_EMPTY: 400,
  ANNOUNCEMENT_END: 400,
  TOO_MANY_ANNOUNCEMENTS: 400,
  STAFF_VOICE_ENDED: 403,
  NO_SUCH_ICON: 400,
  PICTURE_TWICE: 400,
  QUIET_TIME: 403,
  NO_SUCH_LETTERS: 404,
  STAFF_NAME: 400,
  DONE_BY_STAFF: 403,
  ANSWER_NOT_YOURS: 403,
  ENDORSED_BY_STAFF: 403,
  PASSWORD_REQUIRED: 400,
} as const;

export type ErrorCode = keyof typeof statuses;

/** The names of people and classes, and their own words, that stand in the sentence. */
export type ErrorValues = Readonly<Record<string, string>>;

interface ErrorKind<Status> {
  status: Status;
  /** In English. The browser words the code itself in other languages. */
  message: string;
}

export const errors = Object.fromEntries(
  Object.entries(statuses).map(([code, status]) => {
    const text = english[`error.${code as ErrorCode}`];
    return [code, { status, message: fillLimits(text, (limit) => limit.toLocaleString('en')) }];
  }),
) as { [Code in ErrorCode]: ErrorKind<(typeof statuses)[Code]> };

/** The body of every HTTP error response. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  values?: ErrorValues;
  /** Present with MUTED and REMOVED_FROM_CLASS. */
  sanction?: Sanction;
}

/** An error with a message for people. The domain throws it. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly values: ErrorValues | undefined;
  /** The minimum wait before a retry, if known. */
  readonly retryAfterMs: number | undefined;
  /** The sanction that forbids the request. */
  readonly sanction: Sanction | undefined;
  /** @param details the values of the sentence, or a sentence for programs and commands, which nobody translates */
  constructor(
    code: ErrorCode,
    details?: ErrorValues | string,
    retryAfterMs?: number,
    sanction?: Sanction,
  ) {
    super(typeof details === 'string' ? details : fillValues(errors[code].message, details ?? {}));
    this.code = code;
    this.values = typeof details === 'string' ? undefined : details;
    this.retryAfterMs = retryAfterMs;
    this.sanction = sanction;
  }
}

const fillValues = (sentence: string, values: ErrorValues) =>
  sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
