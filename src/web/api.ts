import type { Sanction } from '#contract/entities.ts';
import type { ErrorBody, ErrorCode } from '#contract/errors.ts';
import { getText, getTexts, wordError } from '#web/get-text.ts';
import { toPaddedJson } from '#web/padded-json.ts';
import { RejectedError, createRejectedError } from '#web/rejected-error.ts';
import type { CallInput, CallReply } from '#contract/http.ts';
import { routes, toRouteUrl, type RouteName } from '#contract/routes.ts';

/** No complete response arrived. The server may or may not have processed the request. */
export class NetworkError extends Error {
  override name = 'Unreachable';
  constructor() {
    super(getText('common.unreachable'));
  }
}

/** Holds the body of a report, and most others. */
const bodyStep = 4096; // ANON-62

/** Messages for requests that a reverse proxy rejects by its own size limit. */
const tooLargeMessages = getTexts('api.tooLarge');

/** Converts a failed response to an error. A reverse proxy may return a body that is not ours. */
export function toError(
  { status, body, retryAfter }: { status: number; body: unknown; retryAfter: string | null },
  requestKind: keyof typeof tooLargeMessages,
): RejectedError | NetworkError {
  if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) {
    const { code, message } = body;
    const sanction = 'sanction' in body ? (body.sanction as Sanction) : undefined;
    // Our codes are in capitals. A newer server may send one that this page does not know.
    if (typeof code === 'string' && /^[A-Z_]+$/.test(code) && typeof message === 'string') {
      const sentence = wordError(body as ErrorBody);
      return new RejectedError(code as ErrorCode, sentence, retryAfterMs(retryAfter), sanction);
    }
  }
  if (status === 413) return new RejectedError('TOO_LARGE', tooLargeMessages[requestKind]); // HTTP-47
  if (status >= 502 && status <= 504) return new NetworkError();
  return createRejectedError('INTERNAL');
}

/** @param retryAfter the Retry-After header in seconds */
function retryAfterMs(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/** Asks for the second factor, and returns whether the person proved it. */
let confirmFactor = () => Promise.resolve(false);

export function setFactorConfirmation(confirm: () => Promise<boolean>): void {
  confirmFactor = confirm;
}

/**
 * Makes one HTTP call of the contract. A slow response continues as long as bytes arrive.
 *
 * @param idleTimeoutMs the call fails if no byte arrives for this long
 * @throws {RejectedError} if the server rejects the request
 * @throws {NetworkError} if no complete response arrives
 */
export async function call<N extends RouteName>(
  name: N,
  input: CallInput<N>,
  idleTimeoutMs = 20_000,
): Promise<CallReply<N>> {
  const { body, ...parts }: { body?: unknown } = input;
  const silence = createIdleTimer(idleTimeoutMs);
  const init: RequestInit = { method: routes[name].method, signal: silence.signal };
  if (body !== undefined) {
    init.body = toPaddedJson(body, bodyStep);
    init.headers = { 'content-type': 'application/json' };
  }
  try {
    const response = await fetch(toRouteUrl(name, parts), init).catch(throwNetworkError);
    const bytes = await receiveBytes(response, silence.restart).catch(throwNetworkError);
    const text = await bytes.text();
    if (response.ok) return parseJson(text, throwNetworkError) as CallReply<N>;
    const retryAfter = response.headers.get('retry-after');
    const replyBody = parseJson(text, () => null);
    const error = toError({ status: response.status, body: replyBody, retryAfter }, 'request');
    const needsFactor = 'code' in error && error.code === 'FACTOR_NEEDED';
    if (needsFactor && (await confirmFactor())) return await call(name, input, idleTimeoutMs);
    throw error;
  } finally {
    silence.stop();
  }
}

function throwNetworkError(): never {
  throw new NetworkError();
}

function parseJson(text: string, onInvalid: () => null): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return onInvalid();
  }
}

function createIdleTimer(idleTimeoutMs: number) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(abort, idleTimeoutMs);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(abort, idleTimeoutMs);
    },
    stop: () => clearTimeout(timer),
  };
}

async function receiveBytes(response: Response, onBytes: () => void): Promise<Blob> {
  onBytes();
  const reader = response.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return new Blob(chunks, { type: response.headers.get('content-type') ?? '' });
    onBytes();
    chunks.push(value);
  }
}

/**
 * Fetches a picture at low priority.
 *
 * @throws {RejectedError} if the server rejects the request
 * @throws {NetworkError} if no complete response arrives
 */
export async function fetchPicture(url: string, signal: AbortSignal): Promise<Blob> {
  const silence = createIdleTimer(20_000);
  const init: RequestInit = { priority: 'low', signal: AbortSignal.any([silence.signal, signal]) };
  try {
    const response = await fetch(url, init).catch(throwNetworkError);
    if (response.status === 404) throw createRejectedError('NOT_FOUND');
    if (!response.ok) throw new NetworkError();
    return await receiveBytes(response, silence.restart).catch(throwNetworkError);
  } finally {
    silence.stop();
  }
}

/** A user-facing message for any error. */
export function toErrorMessage(error: unknown): string {
  if (
    error instanceof RejectedError &&
    error.code === 'TOO_MANY' &&
    error.retryAfterMs !== undefined
  ) {
    const duration = formatDuration(error.retryAfterMs);
    return getText('api.tryAgainIn', { error: error.message, duration });
  }
  if (error instanceof RejectedError && error.sanction) {
    return getText('api.reason', { error: error.message, reason: error.sanction.reason });
  }
  return error instanceof RejectedError || error instanceof NetworkError
    ? error.message
    : getText('error.INTERNAL');
}

/** Formats a waiting time and rounds up: '40 seconds', '2 minutes', '1 hour'. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 120) return getText('format.duration.seconds', { count: seconds });
  return minutes < 120
    ? getText('format.duration.minutes', { count: minutes })
    : getText('format.duration.hours', { count: Math.ceil(minutes / 60) });
}
