import type { Sanction } from '#contract/entities.ts';
import type { ErrorCode } from '#contract/errors.ts';
import { getText } from '#web/get-text.ts';

/** The server rejected a request. Its message is shown to people and comes from the server or from a catalogue. */
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

/** The sentences that the browser says without the server. */
const sentences = {
  CLASS_ENDED: () => getText('error.CLASS_ENDED'),
  INTERNAL: () => getText('error.INTERNAL'),
  NOT_FOUND: () => getText('error.NOT_FOUND'),
  TOO_MANY: () => getText('error.TOO_MANY'),
  UNAVAILABLE: () => getText('error.UNAVAILABLE'),
};

export function createRejectedError(
  code: keyof typeof sentences,
  retryAfterMs?: number,
): RejectedError {
  return new RejectedError(code, sentences[code](), retryAfterMs);
}
