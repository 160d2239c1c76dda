import { browserErrors } from './browser-errors.ts';
import type { Sanction } from './entities.ts';

/**
 * All errors that the server can return. Messages are safe to show to anyone.
 */
export const errors = {
  ...browserErrors,
  UNAUTHENTICATED: { status: 401, message: 'Please sign in to continue.' },
  WRONG_CREDENTIALS: { status: 401, message: 'Invalid email or password.' },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    message: 'Please verify your email first. We have sent you a new link.',
  },
  ADDRESS_BLOCKED: {
    status: 403,
    message:
      'This address cannot be used here. If you think that this is wrong, ask the people who run this site.',
  },
  EMAIL_TAKEN: {
    status: 409,
    message: 'An account with this email already exists. Sign in, or reset your password.',
  },
  PASSWORD_COMMON: {
    status: 400,
    message:
      'This password is too easy to guess. Try three or four words that do not belong together.',
  },
  WRONG_PASSWORD: {
    status: 403,
    message: 'This is not your current password.',
  },
  SIGN_IN_AGAIN: {
    status: 403,
    message:
      'Please confirm that it is you: sign in again at your university, then try again within ten minutes.',
  },
  PASSWORDS_OFF: {
    status: 403,
    message: 'This site has no passwords. Please sign in at your university.',
  },
  SIGN_ON_CANCELLED: {
    status: 403,
    message: 'Your university did not sign you in. Please try again, or ask its help desk.',
  },
  SIGN_ON_EXPIRED: {
    status: 400,
    message: 'This sign-in has expired or was already used. Please start again.',
  },
  SIGN_ON_EMAIL: {
    status: 403,
    message:
      'Your university did not confirm an email address of yours. Please ask its help desk to add one.',
  },
  INVALID: { status: 400, message: 'This request is not valid.' },
  TOO_MANY_CLASSES: {
    status: 409,
    message:
      'You can be in at most 200 classes. Please leave one that you no longer need, then try again.',
  },
  /** The change names an older version of the settings. */
  SETTINGS_CHANGED: {
    status: 409,
    message: 'Someone else has changed these settings meanwhile. Yours are not saved yet.',
  },
  TOO_MANY_MENTIONS: {
    status: 400,
    message: 'A message can mention at most 20 people. Please mention fewer.',
  },
  IMAGE_TOO_ANIMATED: {
    status: 400,
    message:
      'This animation is too long or too large. Please choose one with at most 300 frames, or a smaller one.',
  },
  /** Status 413, not 503: the outbox retries a temporary error without showing it. */
  STORAGE_FULL: {
    status: 413,
    message:
      'The server is running out of space, so it takes no pictures and PDFs for now. You can still send text.',
  },
  TOO_MANY_BYTES: {
    status: 413,
    message:
      'You have sent as many pictures and PDFs as one person can in a day. Please try again tomorrow. You can still send text.',
  },
  PDF_ENCRYPTED: {
    status: 400,
    message: 'This PDF is protected. Please save it without a password or other protection first.',
  },
  PDF_TOO_MANY_PAGES: {
    status: 400,
    message: 'A PDF can have at most 200 pages. Please choose a shorter one.',
  },
  PDF_TOO_COMPLEX: {
    status: 400,
    message:
      'This PDF is too detailed for the server. Please send fewer pages, or pictures of them.',
  },
  NOT_YOUR_MESSAGE: {
    status: 403,
    message: 'You can only delete your own messages.',
  },
  NOT_YOURS_TO_EDIT: {
    status: 403,
    message: 'You can only edit your own messages.',
  },
  OWN_REACTION: {
    status: 403,
    message: 'You can only react to other people’s messages.',
  },
  TOO_MANY_REACTIONS: {
    status: 409,
    message: 'At most 500 people can react to a message. Please write a reply instead.',
  },
  OWN_QUESTION: {
    status: 403,
    message: 'You can only vote for other people’s questions.',
  },
  NO_QUESTION: {
    status: 409,
    message: 'This message is not a question.',
  },
  NO_POLL: {
    status: 409,
    message: 'This message is not a poll.',
  },
  POLL_CLOSED: {
    status: 409,
    message: 'This poll is closed.',
  },
  TOO_MANY_POLLS: {
    status: 409,
    message: 'This class has 20 open polls. Please ask again when one of them has closed.',
  },
  NO_REPLY: {
    status: 409,
    message: 'Only a reply to the question can be its answer.',
  },
  NO_LECTURE: {
    status: 409,
    message: 'There is no lecture in this class right now. Please start one first.',
  },
  QUESTION_NOT_PLAIN: {
    status: 409,
    message:
      'In this lecture, questions wait for release. Such a question can have no picture and cannot be a reply.',
  },
  TOO_MANY_WAITING: {
    status: 409,
    message:
      'You have 5 questions that wait for release or came back. Please wait, or take one back.',
  },
  TOO_MANY_LINKS: {
    status: 409,
    message: 'A lecture can have at most 10 presenter links. Please revoke them, then make one.',
  },
  NOT_ALLOWED: {
    status: 403,
    message: 'Your account does not have the role for this.',
  },
  NO_SUCH_ACCOUNT: {
    status: 404,
    message: 'There is no account with this address. The person has to sign up first.',
  },
  ALREADY_VERIFIED: {
    status: 409,
    message: 'This address is verified already. If its owner cannot sign in, send a reset link.',
  },
  ACCOUNT_WITHOUT_PASSWORD: {
    status: 409,
    message: 'This account has no password. Its owner signs in at the university.',
  },
  OPERATOR_ACCOUNT: {
    status: 409,
    message:
      'This is the account of an operator. First take the role back: npm run admin -- revoke-role, or the setting OPERATORS. Operators delete their own account on the profile page.',
  },
  MUTED: {
    status: 403,
    message: 'A moderator muted you in this class. You can read, but not write.',
  },
  REMOVED_FROM_CLASS: {
    status: 403,
    message: 'A moderator removed you from this class.',
  },
  SUSPENDED: {
    status: 403,
    message: 'Your account is suspended. Reload the page to see why, and until when.',
  },
  APPEAL_EMPTY: {
    status: 400,
    message: 'Please write why you disagree.',
  },
  APPEAL_TOO_LONG: {
    status: 400,
    message: 'An appeal can have at most 1,000 characters. Please shorten yours.',
  },
  /** The sanction has ended, or a moderator lifted it. */
  NOTHING_TO_APPEAL: {
    status: 409,
    message: 'This has already ended.',
  },
  /** The moderator who decided a sanction must not decide the appeal, if another person can. */
  OWN_DECISION: {
    status: 403,
    message:
      'This appeal is about your own decision. Another moderator or operator must decide it.',
  },
  OWN_CASE: {
    status: 403,
    message:
      'You reported this yourself, so someone else has to decide about a removal from the class. You can mute, or escalate.',
  },
  OWN_REPORT: {
    status: 400,
    message: 'You cannot report yourself. You can delete your own messages.',
  },
  REPORT_TOO_LONG: {
    status: 400,
    message: 'The text of a report can have at most 500 characters. Please shorten yours.',
  },
  REASON_MISSING: {
    status: 400,
    message: 'Please enter a reason.',
  },
  REASON_TOO_LONG: {
    status: 400,
    message: 'A reason can have at most 500 characters. Please shorten yours.',
  },
  ALREADY_DECIDED: {
    status: 409,
    message: 'Another moderator has already decided this case.',
  },
  CASE_CHANGED: {
    status: 409,
    message: 'The message was edited in the meantime. Please look at it again.',
  },
  DECISION_APPLIED: {
    status: 409,
    message: 'This decision has taken effect and can no longer be undone.',
  },
  UNMASKING_OFF: {
    status: 403,
    message: 'Unmasking is switched off on this site.',
  },
  UNMASKING_TOO_OLD: {
    status: 403,
    message:
      'This person wrote in the class before unmasking was switched on. They can never be unmasked there.',
  },
  UNMASKING_PENDING: {
    status: 409,
    message: 'There is already an open request on this case.',
  },
  UNMASKING_CLOSED: {
    status: 409,
    message: 'This request was withdrawn, has expired or was used. Please open a new one.',
  },
  UNMASKING_OWN: {
    status: 403,
    message: 'You opened this request. Another operator must confirm it.',
  },
  UNMASKING_IMPOSSIBLE: {
    status: 409,
    message:
      'No account can be found: the person has left the class or deleted the account, or the class has ended.',
  },
  NAME_RESERVED: {
    status: 400,
    message: 'This name could be mistaken for staff. Please choose another one.',
  },
  NAME_OF_TILE: {
    status: 400,
    message: 'A color and a shape name those who stay Anonymous. Please choose another name.',
  },
  NAME_TAKEN: {
    status: 409,
    message:
      'Someone in this class already has this name, or one that looks like it. Please choose another one.',
  },
  ID_CONFLICT: {
    status: 409,
    message: 'Another message already has this id. Please send it again.',
  },
  PREFERENCES_CHANGED: {
    status: 409,
    message: 'This was changed on another of your devices. Please try again.',
  },
  TOO_MANY_SUBSCRIPTIONS: {
    status: 400,
    message: 'One connection can follow at most 64 classes.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    message: 'This request came from another site and was refused.',
  },
  UNKNOWN_HOST: {
    status: 421,
    message: 'This server does not have that host name.',
  },
  UPGRADE_REQUIRED: {
    status: 426,
    message: 'This address accepts WebSocket connections only.',
  },
  TOO_LARGE: { status: 413, message: 'This request is too large.' },
} as const;

export type ErrorCode = keyof typeof errors;

/** The body of every HTTP error response. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  /** Present with MUTED and REMOVED_FROM_CLASS. */
  sanction?: Sanction;
}

/** An error with a message for people. The domain throws it. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  /** The minimum wait before a retry, if known. */
  readonly retryAfterMs: number | undefined;
  /** The sanction that forbids the request. */
  readonly sanction: Sanction | undefined;
  constructor(
    code: ErrorCode,
    message: string = errors[code].message,
    retryAfterMs?: number,
    sanction?: Sanction,
  ) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.sanction = sanction;
  }
}
