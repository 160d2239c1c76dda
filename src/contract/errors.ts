import type { Sanction } from './entities.ts';

/**
 * All errors that the server can return. Messages are safe to show to anyone; `{host}` stands for the university's e-mail domain.
 */
export const errors = {
  UNAUTHENTICATED: { status: 401, message: 'Please sign in to continue.' },
  WRONG_CREDENTIALS: { status: 401, message: 'Invalid email or password.' },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    message: 'Please verify your email first. We have sent you a new link.',
  },
  WRONG_EMAIL_DOMAIN: {
    status: 400,
    message: 'Please use a valid @{host} email address.',
  },
  EMAIL_CHARACTERS: {
    status: 400,
    message:
      "Please use an address that has only letters, digits and . _ - + ' & = # ~ before the @, and begins with a letter, a digit or _. If yours is different, ask your university for another one.",
  },
  EMAIL_TAKEN: {
    status: 409,
    message: 'An account with this email already exists. Sign in, or reset your password.',
  },
  PASSWORD_LENGTH: {
    status: 400,
    message: 'Please choose a password of 8 to 128 characters.',
  },
  PASSWORD_COMMON: {
    status: 400,
    message: 'This password is too easy to guess. Please choose another one.',
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
  SIGN_ON_UNAVAILABLE: {
    status: 503,
    message: 'Your university’s sign-in does not answer right now. Please try again in a minute.',
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
  INVALID_LINK: {
    status: 400,
    message: 'This link has expired or was already used. Please request a new one.',
  },
  INVALID: { status: 400, message: 'This request is not valid.' },
  CLASS_ENDED: {
    status: 403,
    message: 'This class has ended. You can still read it.',
  },
  TOO_MANY_CLASSES: {
    status: 409,
    message:
      'You can be in at most 200 classes. Please leave one that you no longer need, then try again.',
  },
  READ_ONLY: {
    status: 403,
    message: 'This class is read-only for now. You can still read it.',
  },
  PICTURES_OFF: {
    status: 403,
    message: 'Pictures and PDFs are turned off in this class.',
  },
  SLOW_MODE: {
    status: 429,
    message: 'This class is in slow mode. Please wait before you send another message.',
  },
  /** The change names an older version of the settings. */
  SETTINGS_CHANGED: {
    status: 409,
    message: 'Someone else has changed these settings meanwhile. Yours are not saved yet.',
  },
  CLASS_INCOMPLETE: { status: 400, message: 'Please fill out all fields' },
  CLASS_TIMES: {
    status: 400,
    message: 'Begin Class Time must be earlier than End Class Time',
  },
  MESSAGE_EMPTY: { status: 400, message: 'Please write something first.' },
  MESSAGE_TOO_LONG: {
    status: 400,
    message: 'A message can have at most 4,000 characters. Please shorten yours.',
  },
  TOO_MANY_MENTIONS: {
    status: 400,
    message: 'A message can mention at most 20 people. Please mention fewer.',
  },
  IMAGE_TOO_LARGE: {
    status: 413,
    message: 'A picture can have at most 10 MB. Please choose a smaller one.',
  },
  IMAGE_TOO_MANY_PIXELS: {
    status: 400,
    message: 'A picture can have at most 40 megapixels. Please choose a smaller one.',
  },
  IMAGE_NOT_A_PICTURE: {
    status: 400,
    message:
      'This file type isn’t supported. Please choose a JPEG, PNG, WebP, GIF or AVIF picture, or a PDF.',
  },
  IMAGE_BROKEN: {
    status: 400,
    message: 'This picture is damaged. Save it again or choose another one.',
  },
  IMAGE_TOO_ANIMATED: {
    status: 400,
    message:
      'This animation is too long or too large. Please choose one with at most 300 frames, or a smaller one.',
  },
  TOO_MANY_IMAGES: {
    status: 400,
    message:
      'A message can have at most 10 pictures and PDFs. Please remove some, or send them in another message.',
  },
  /** The upload was not sent within an hour, or was already used. The browser must upload it again. */
  IMAGE_GONE: {
    status: 409,
    message: 'The picture is no longer on the server. Please add it again.',
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
  PDF_TOO_LARGE: {
    status: 413,
    message: 'A PDF can have at most 10 MB. Please choose a smaller one.',
  },
  PDF_NOT_A_PDF: {
    status: 400,
    message: 'This file isn’t a PDF. Please export it as a PDF first.',
  },
  PDF_BROKEN: {
    status: 400,
    message: 'This PDF is damaged. Export it again or choose another one.',
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
  PDF_BUSY: {
    status: 503,
    message: 'The server is busy with other PDFs. Please try again in a minute.',
  },
  PDF_TOO_MANY: {
    status: 429,
    message: 'You have sent many PDFs. Please wait a few minutes.',
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
  TOO_MANY_APPEALS: {
    status: 429,
    message: 'You have sent many appeals today. Please try again tomorrow.',
  },
  /** The moderator who decided a sanction must not decide the appeal, if another person can. */
  OWN_DECISION: {
    status: 403,
    message:
      'This appeal is about your own decision. Another moderator or operator must decide it.',
  },
  OWN_REPORT: {
    status: 400,
    message: 'You cannot report yourself. You can delete your own messages.',
  },
  REPORT_TOO_LONG: {
    status: 400,
    message: 'The text of a report can have at most 500 characters. Please shorten yours.',
  },
  TOO_MANY_REPORTS: {
    status: 429,
    message: 'You have sent many reports today. Please try again tomorrow.',
  },
  REASON_MISSING: {
    status: 400,
    message: 'Please enter a reason. The member can see it.',
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
  UNMASKING_REASON: {
    status: 400,
    message:
      'Please give the legal ground in 20 to 500 characters, such as the number of a court order.',
  },
  UNMASKING_IMPOSSIBLE: {
    status: 409,
    message:
      'No account can be found: the person has left the class or deleted the account, or the class has ended.',
  },
  NAME_EMPTY: {
    status: 400,
    message: "Please enter a name, or stay 'Anonymous'.",
  },
  NAME_TOO_LONG: {
    status: 400,
    message: 'A name can have at most 30 characters.',
  },
  NAME_CHARACTERS: {
    status: 400,
    message:
      "A name can only contain letters, digits, spaces and a few signs (. , ' - _ ! ? & # +).",
  },
  NAME_RESERVED: {
    status: 400,
    message: 'This name could be mistaken for staff. Please choose another one.',
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
  TOO_MANY_IGNORED: {
    status: 400,
    message: 'You can ignore at most 100 people in a class. Please stop ignoring someone first.',
  },
  PREFERENCES_CHANGED: {
    status: 409,
    message: 'This was changed on another of your devices. Please try again.',
  },
  NOT_FOUND: { status: 404, message: 'Not found, or you don’t have access.' },
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
  TOO_MANY: {
    status: 429,
    message: 'You’re doing that too often. Please wait a moment.',
  },
  UNAVAILABLE: {
    status: 503,
    message: 'The server cannot save anything right now. Please try again.',
  },
  INTERNAL: { status: 500, message: 'Something went wrong. Please try again.' },
} as const;

export type ErrorCode = keyof typeof errors;

/** Whether the same request may succeed later. A client error stays an error. */
export function isTemporary(code: ErrorCode): boolean {
  const { status } = errors[code];
  return status === 429 || status >= 500;
}

/** The body of every HTTP error response. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  /** With MUTED and REMOVED_FROM_CLASS. */
  sanction?: Sanction;
}

/** An error with a message for people. The domain and the browser's API calls both throw it. */
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
