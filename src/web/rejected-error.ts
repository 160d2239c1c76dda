import { browserErrors, type BrowserErrorCode } from '#contract/browser-errors.ts';
import type { Sanction } from '#contract/entities.ts';
import type { ErrorCode } from '#contract/errors.ts';

/** The server rejected a request. Its message is shown to people and comes from the server or from `browserErrors`. */
export class RejectedError extends Error {
  override name = 'RejectedError';
  readonly code: ErrorCode;
  /** The minimum wait before a retry, if known. */
  readonly retryAfterMs: number | undefined;
  /** The sanction that forbids the request. */
  readonly sanction: Sanction | undefined;
  constructor(code: ErrorCode, message: string, retryAfterMs?: number, sanction?: Sanction) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.sanction = sanction;
  }
}

/** Creates an error with the sentence that the browser has for it. */
export function createRejectedError(code: BrowserErrorCode, retryAfterMs?: number): RejectedError {
  return new RejectedError(code, browserErrors[code].message, retryAfterMs);
}
