// The errors whose sentences the browser says without the server, or whose requests it repeats. The other sentences come
// with the server's replies, so they are not part of the first load.

/** The same request may succeed later. A client error stays an error. */
const temporaryErrors = {
  SIGN_ON_UNAVAILABLE: {
    status: 503,
    message: 'Your university’s sign-in does not answer right now. Please try again in a minute.',
  },
  SLOW_MODE: {
    status: 429,
    message: 'This class is in slow mode. Please wait before you send another message.',
  },
  PDF_BUSY: {
    status: 503,
    message: 'The server is busy with other PDFs. Please try again in a minute.',
  },
  PDF_TOO_MANY: {
    status: 429,
    message: 'You have sent many PDFs. Please wait a few minutes.',
  },
  TOO_MANY_APPEALS: {
    status: 429,
    message: 'You have sent many appeals today. Please try again tomorrow.',
  },
  TOO_MANY_REPORTS: {
    status: 429,
    message: 'You have sent many reports today. Please try again tomorrow.',
  },
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

/** `{host}` stands for the university's email domain. */
export const browserErrors = {
  ...temporaryErrors,
  WRONG_EMAIL_DOMAIN: {
    status: 400,
    message: 'Please use a valid @{host} email address.',
  },
  EMAIL_CHARACTERS: {
    status: 400,
    message:
      "Please use an address that has only letters, digits and . _ - + ' & = # ~ before the @, and begins with a letter, a digit or _. If yours is different, ask your university for another one.",
  },
  PASSWORD_LENGTH: {
    status: 400,
    message: 'Please choose a password of 8 to 128 characters.',
  },
  INVALID_LINK: {
    status: 400,
    message: 'This link has expired or was already used. Please request a new one.',
  },
  CLASS_ENDED: {
    status: 403,
    message: 'This class has ended. You can still read it.',
  },
  READ_ONLY: {
    status: 403,
    message: 'This class is read-only for now. You can still read it.',
  },
  PICTURES_OFF: {
    status: 403,
    message: 'Pictures and PDFs are turned off in this class.',
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
      'This file type isn’t supported. Please choose a JPEG, PNG, WebP or GIF picture, or a PDF.',
  },
  IMAGE_BROKEN: {
    status: 400,
    message: 'This picture is damaged. Save it again or choose another one.',
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
  UNMASKING_REASON: {
    status: 400,
    message:
      'Please give the legal ground in 20 to 500 characters, such as the number of a court order.',
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
  TOO_MANY_IGNORED: {
    status: 400,
    message: 'You can ignore at most 100 people in a class. Please stop ignoring someone first.',
  },
  NOT_FOUND: { status: 404, message: 'Not found, or you don’t have access.' },
} as const;

export type BrowserErrorCode = keyof typeof browserErrors;

/** A newer server may send codes that this page does not know. They are not temporary. */
export function isTemporary(code: string): boolean {
  return Object.hasOwn(temporaryErrors, code);
}
