/**
 * All errors that the server can return. If `retry` is true, the same request may succeed later.
 * Messages are safe to show to anyone; `{host}` stands for the university's e-mail domain.
 */
export const errors = {
  UNAUTHENTICATED: { status: 401, retry: false, message: 'Please sign in to continue.' },
  WRONG_CREDENTIALS: { status: 401, retry: false, message: 'Invalid email or password.' },
  EMAIL_NOT_VERIFIED: {
    status: 403,
    retry: false,
    message: 'Please verify your email first: we have sent you a new link.',
  },
  WRONG_EMAIL_DOMAIN: {
    status: 400,
    retry: false,
    message: 'Please use a valid @{host} email address.',
  },
  EMAIL_TAKEN: {
    status: 409,
    retry: false,
    message: 'An account with this email already exists. Sign in, or reset its password.',
  },
  PASSWORD_LENGTH: {
    status: 400,
    retry: false,
    message: 'Please choose a password of 8 to 128 characters.',
  },
  PASSWORD_COMMON: {
    status: 400,
    retry: false,
    message: 'This password is too easy to guess. Please choose another one.',
  },
  WRONG_PASSWORD: {
    status: 403,
    retry: false,
    message: 'This is not your current password.',
  },
  INVALID_LINK: {
    status: 400,
    retry: false,
    message: 'This link has expired or was already used. Please request a new one.',
  },
  INVALID: { status: 400, retry: false, message: 'This request is not valid.' },
  CLASS_ENDED: {
    status: 403,
    retry: false,
    message: 'This class has ended. You can still read it.',
  },
  CLASS_INCOMPLETE: { status: 400, retry: false, message: 'Please fill out all fields' },
  CLASS_TIMES: {
    status: 400,
    retry: false,
    message: 'Begin Class Time must be earlier than End Class Time',
  },
  MESSAGE_EMPTY: { status: 400, retry: false, message: 'Please write something first.' },
  MESSAGE_TOO_LONG: {
    status: 400,
    retry: false,
    message: 'A message can have at most 4,000 characters. Please shorten yours.',
  },
  IMAGE_TOO_LARGE: {
    status: 413,
    retry: false,
    message: 'A picture can have at most 10 MB. Please choose a smaller one.',
  },
  IMAGE_TOO_MANY_PIXELS: {
    status: 400,
    retry: false,
    message: 'A picture can have at most 40 megapixels. Please choose a smaller one.',
  },
  IMAGE_NOT_A_PICTURE: {
    status: 400,
    retry: false,
    message:
      'This file type isn’t supported. Please choose a JPEG, PNG, WebP, GIF or AVIF picture.',
  },
  IMAGE_BROKEN: {
    status: 400,
    retry: false,
    message: 'This picture is damaged. Save it again or choose another one.',
  },
  IMAGE_TOO_ANIMATED: {
    status: 400,
    retry: false,
    message:
      'This animation is too long or too large. Please choose one with at most 300 frames, or a smaller one.',
  },
  /** The upload was not sent within an hour, or was already used. The browser must upload it again. */
  IMAGE_GONE: {
    status: 409,
    retry: false,
    message: 'The picture is no longer on the server. Please add it again.',
  },
  NOT_YOUR_MESSAGE: {
    status: 403,
    retry: false,
    message: 'You can only delete your own messages.',
  },
  NOT_YOURS_TO_EDIT: {
    status: 403,
    retry: false,
    message: 'You can only edit your own messages.',
  },
  OWN_REACTION: {
    status: 403,
    retry: false,
    message: 'You can only react to other people’s messages.',
  },
  NAME_EMPTY: {
    status: 400,
    retry: false,
    message: "Please enter a name, or stay 'Anonymous'.",
  },
  NAME_TOO_LONG: {
    status: 400,
    retry: false,
    message: 'A name can have at most 30 characters.',
  },
  NAME_CHARACTERS: {
    status: 400,
    retry: false,
    message:
      "A name can only contain letters, digits, spaces and a few signs (. , ' - _ ! ? & # +).",
  },
  NAME_RESERVED: {
    status: 400,
    retry: false,
    message: 'This name could be mistaken for staff. Please choose another one.',
  },
  NAME_TAKEN: {
    status: 409,
    retry: false,
    message:
      'Someone in this class already has this name, or one that looks like it. Please choose another one.',
  },
  ID_CONFLICT: {
    status: 409,
    retry: false,
    message: 'Another message already has this id. Please send it again.',
  },
  NOT_FOUND: { status: 404, retry: false, message: 'Not found, or you don’t have access.' },
  TOO_MANY_SUBSCRIPTIONS: {
    status: 400,
    retry: false,
    message: 'One connection can follow at most 64 classes.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    retry: false,
    message: 'This request came from another site and was refused.',
  },
  UNKNOWN_HOST: {
    status: 421,
    retry: false,
    message: 'This server does not answer under that host name.',
  },
  UPGRADE_REQUIRED: {
    status: 426,
    retry: false,
    message: 'This address accepts WebSocket connections only.',
  },
  TOO_LARGE: { status: 413, retry: false, message: 'This request is too large.' },
  TOO_MANY: {
    status: 429,
    retry: true,
    message: 'You’re doing that too often. Please wait a moment.',
  },
  UNAVAILABLE: {
    status: 503,
    retry: true,
    message: 'The server cannot save anything right now. Please try again.',
  },
  INTERNAL: { status: 500, retry: true, message: 'Something went wrong here. Please try again.' },
} as const;

export type ErrorCode = keyof typeof errors;

/** The body of every HTTP error response. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
}

/** An error with a message for people. The domain and the browser's API calls both throw it. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  /** The minimum wait before a retry, if known. */
  readonly retryAfterMs: number | undefined;
  constructor(code: ErrorCode, message: string = errors[code].message, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}
