import english from '#texts/en.json' with { type: 'json' };
import { temporaryErrors } from './temporary-errors.ts';
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
  FACTOR_NEEDED: 403,
  FACTOR_MISSING: 403,
  FACTOR_WRONG: 403,
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
  /** No one speaks as staff in the class. */
  NO_STAFF: 409,
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
} as const;

export type ErrorCode = keyof typeof statuses;

/** Why, if one code has several sentences. Programs need only the code. */
const reasons = {
  UPLOAD_INCOMPLETE: 'INVALID',
  SAME_ADDRESS: 'INVALID',
  ADDRESSES_DIFFER: 'INVALID',
  MERGE_TERMS: 'INVALID',
  MERGE_SAME: 'INVALID',
  POLL_OPTIONS: 'INVALID',
  BLOCK_REASON: 'INVALID',
  LECTURE_TOO_LONG: 'INVALID',
  PREPARED_EMPTY: 'INVALID',
  TOO_MANY_PREPARED: 'INVALID',
  CLASS_WITHOUT_HOURS: 'INVALID',
  APPEAL_CHARACTERS: 'INVALID',
  REASON_CHARACTERS: 'INVALID',
  TEXT_CHARACTERS: 'INVALID',
  DESCRIPTION_CHARACTERS: 'INVALID',
  MESSAGE_CHARACTERS: 'INVALID',
  CASE_WITHOUT_MESSAGE: 'INVALID',
  DECISION_UNFIT: 'INVALID',
  QUERY_EMPTY: 'INVALID',
  SNOOZE_TOO_LONG: 'INVALID',
  PUSH_SERVICE_UNKNOWN: 'INVALID',
  IGNORED_SELF: 'INVALID',
  ANNOUNCEMENT_EMPTY: 'INVALID',
  ANNOUNCEMENT_END: 'INVALID',
  TOO_MANY_ANNOUNCEMENTS: 'INVALID',
  NO_SUCH_ICON: 'INVALID',
  PICTURE_TWICE: 'INVALID',
  PASSWORD_REQUIRED: 'INVALID',
  PASSKEY_NAME: 'INVALID',
  TOO_MANY_PASSKEYS: 'INVALID',
  STAFF_NAME: 'INVALID',
  QUIET_TIME_UNSET: 'INVALID',
  QUIET_TIME_ENDS: 'INVALID',
  QUIET_TIME_WEEKLY: 'INVALID',
  QUIET_TIME_EMPTY: 'INVALID',
  QUIET_TIME_TOO_LONG: 'INVALID',
  QUIET_TIME_CHARACTERS: 'INVALID',
  ANNOUNCEMENT_TOO_LONG: 'INVALID',
  ANNOUNCEMENT_TIME: 'INVALID',
  CLASS_LINK: 'INVALID',
  TOO_MANY_PINS: 'INVALID',
  TOO_MANY_QUIET_TIMES: 'INVALID',
  TOO_MANY_TOPICS: 'INVALID',
  TOO_MANY_DECISIONS: 'TOO_MANY',
  TOPIC_EMPTY: 'INVALID',
  TOPIC_TWICE: 'INVALID',
  PERSONA_UNLINKED: 'NOT_ALLOWED',
  CASE_ABOUT_YOU: 'NOT_ALLOWED',
  LAST_OPERATOR: 'NOT_ALLOWED',
  QUESTIONS_HELD: 'NOT_ALLOWED',
  POLL_NOT_YOURS: 'NOT_ALLOWED',
  POLL_NOT_OF_STAFF: 'NOT_ALLOWED',
  PREPARE_AS_STAFF: 'NOT_ALLOWED',
  DIGEST_OFF: 'NOT_ALLOWED',
  CREATION_BY_OPERATORS: 'NOT_ALLOWED',
  STAFF_VOICE_ENDED: 'NOT_ALLOWED',
  DONE_BY_STAFF: 'NOT_ALLOWED',
  MOVE_NOT_YOURS: 'NOT_ALLOWED',
  ANSWER_NOT_YOURS: 'NOT_ALLOWED',
  ENDORSED_BY_STAFF: 'NOT_ALLOWED',
  QUESTION_CHANGED: 'NOT_FOUND',
  QUESTION_NOT_WAITING: 'NOT_FOUND',
  NO_SUCH_CLASS: 'NOT_FOUND',
  ROLE_ENDED: 'NOT_FOUND',
  NO_SUCH_TOPIC: 'NOT_FOUND',
  NO_SUCH_LETTERS: 'NOT_FOUND',
  COURSE_NOT_OPENED: 'NOT_FOUND',
  NOT_INSTRUCTOR: 'NOT_ALLOWED',
  COURSE_LINKED: 'SETTINGS_CHANGED',
  CLASS_NOT_REOPENABLE: 'CLASS_ENDED',
  MERGE_ENDED: 'CLASS_ENDED',
  QUIET_TIME: 'READ_ONLY',
  REVIEW_ALREADY_DECIDED: 'ALREADY_DECIDED',
  REVIEW_CHANGED: 'CASE_CHANGED',
  LECTURE_OVER: 'NO_LECTURE',
  POLL_AS_QUESTION: 'NO_QUESTION',
  CLASS_WAITING_FULL: 'TOO_MANY_WAITING',
  TOO_MANY_PRIVATE: 'TOO_MANY_WAITING',
  CLASS_PRIVATE_FULL: 'TOO_MANY_WAITING',
  TOO_MANY_TURNS: 'TOO_MANY_WAITING',
  TOO_MANY_UNANSWERED: 'TOO_MANY_WAITING',
  MUTED_IN_PRIVATE: 'MUTED',
  TOO_MANY_OWN_POLLS: 'TOO_MANY_POLLS',
  DIGEST_LINK_INVALID: 'INVALID_LINK',
  LINK_TOO_EARLY: 'INVALID_LINK',
  ADDRESS_STILL_BLOCKED: 'ADDRESS_BLOCKED',
  ADDRESS_TAKEN: 'EMAIL_TAKEN',
  SITE_WITHOUT_PASSWORDS: 'ACCOUNT_WITHOUT_PASSWORD',
} as const satisfies Record<string, ErrorCode>;

export type ErrorReason = keyof typeof reasons;

/** The names of people and classes, and their own words, that stand in the sentence. */
export type ErrorValues = Readonly<Record<string, string>>;

export const errors = Object.fromEntries(
  Object.entries(statuses).map(([code, status]) => {
    return [code, { status, message: toSentence(code as ErrorCode, {}) }];
  }),
) as { [Code in ErrorCode]: { status: (typeof statuses)[Code]; message: string } };

/** In English. The browser words the reason or the code itself in other languages. */
function toSentence(name: ErrorCode | ErrorReason, values: ErrorValues): string {
  const sentence = fillLimits(english[`error.${name}`], (limit) => limit.toLocaleString('en'));
  return sentence.replace(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place);
}

export const isErrorReason = (text: string): text is ErrorReason => Object.hasOwn(reasons, text);

/** The body of every HTTP error response. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  reason?: ErrorReason;
  values?: ErrorValues;
  /** Present with MUTED and REMOVED_FROM_CLASS. */
  sanction?: Sanction;
}

/** An error with a message for people. The domain throws it. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly reason: ErrorReason | undefined;
  readonly values: ErrorValues | undefined;
  /** The minimum wait before a retry, if known. */
  readonly retryAfterMs: number | undefined;
  /** The sanction that forbids the request. */
  readonly sanction: Sanction | undefined;
  /** @param details the values of the sentence, or a sentence for programs and commands, which nobody translates */
  constructor(
    name: ErrorCode | ErrorReason,
    details?: ErrorValues | string,
    retryAfterMs?: number,
    sanction?: Sanction,
  ) {
    super(typeof details === 'string' ? details : toSentence(name, details ?? {}));
    this.code = isErrorReason(name) ? reasons[name] : name;
    this.reason = isErrorReason(name) ? name : undefined;
    this.values = typeof details === 'string' ? undefined : details;
    this.retryAfterMs = retryAfterMs;
    this.sanction = sanction;
  }
}
