// Which errors end by themselves, so that the browser repeats the request. Apart from the other codes, which it need not know.

/** The same request may succeed later. A client error stays an error. */
export const temporaryErrors = {
  SIGN_ON_UNAVAILABLE: 503,
  SLOW_MODE: 429,
  PDF_BUSY: 503,
  PDF_TOO_MANY: 429,
  TOO_MANY_APPEALS: 429,
  TOO_MANY_REPORTS: 429,
  TOO_MANY: 429,
  UNAVAILABLE: 503,
  /** An operator has stopped writing for a time. The outbox keeps what members write until then. */
  MAINTENANCE: 503,
  INTERNAL: 500,
} as const;

/** A newer server may send codes that this page does not know. They are not temporary. */
export function isTemporary(code: string): boolean {
  return Object.hasOwn(temporaryErrors, code);
}
