import { errors, AppError, type ErrorCode } from '#contract/errors.ts';
import type { CallInput, CallReply } from '#contract/http.ts';
import { routeUrl } from '#contract/route-url.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { formatDuration } from './format-duration.ts';

/** No complete response arrived. The server may or may not have processed the request. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  constructor() {
    super('The server cannot be reached. Please check your connection and try again.');
  }
}

/** Messages for requests that a reverse proxy rejects by its own size limit. */
const tooLarge = {
  request:
    'This is larger than the proxy in front of this server allows. Please shorten it, or ask the operator of this server to raise the limit.',
  picture:
    'This picture is larger than the proxy in front of this server allows. Please choose a smaller one, or ask the operator of this server to raise the limit.',
};

/** Converts a failed response to an error. A reverse proxy may return a body that is not ours. */
export function errorFrom(
  { status, body, retryAfter }: { status: number; body: unknown; retryAfter: string | null },
  sent: keyof typeof tooLarge,
): AppError | Unreachable {
  if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) {
    const { code, message } = body;
    if (typeof code === 'string' && Object.hasOwn(errors, code) && typeof message === 'string') {
      return new AppError(code as ErrorCode, message, retryAfterMs(retryAfter));
    }
  }
  if (status === 413) return new AppError('TOO_LARGE', tooLarge[sent]); // HTTP-47
  if (status >= 502 && status <= 504) return new Unreachable();
  return new AppError('INTERNAL');
}

/** @param retryAfter the Retry-After header in seconds */
function retryAfterMs(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/**
 * Makes one HTTP call of the contract. A slow response continues as long as bytes arrive.
 *
 * @param silenceMs the call fails if no byte arrives for this long
 * @throws {AppError} if the server refuses the request
 * @throws {Unreachable} if no complete response arrives
 */
export async function call<N extends RouteName>(
  name: N,
  input: CallInput<N>,
  silenceMs = 20_000,
): Promise<CallReply<N>> {
  const { body, ...parts }: { body?: unknown } = input;
  const silence = createSilenceTimer(silenceMs);
  const init: RequestInit = { method: routes[name].method, signal: silence.signal };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json' };
  }
  try {
    const response = await fetch(routeUrl(name, parts), init).catch(unreachable);
    const bytes = await readBytes(response, silence.restart).catch(unreachable);
    const text = await bytes.text();
    if (response.ok) return parseJson(text, unreachable) as CallReply<N>;
    const retryAfter = response.headers.get('retry-after');
    const answer = parseJson(text, () => null);
    throw errorFrom({ status: response.status, body: answer, retryAfter }, 'request');
  } finally {
    silence.stop();
  }
}

function unreachable(): never {
  throw new Unreachable();
}

function parseJson(text: string, otherwise: () => null): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise();
  }
}

function createSilenceTimer(silenceMs: number) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(abort, silenceMs);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(abort, silenceMs);
    },
    stop: () => clearTimeout(timer),
  };
}

async function readBytes(response: Response, onBytes: () => void): Promise<Blob> {
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
 * @throws {AppError} if the server refuses the request
 * @throws {Unreachable} if no complete response arrives
 */
export async function fetchPicture(url: string, signal: AbortSignal): Promise<Blob> {
  const silence = createSilenceTimer(20_000);
  const init: RequestInit = { priority: 'low', signal: AbortSignal.any([silence.signal, signal]) };
  try {
    const response = await fetch(url, init).catch(unreachable);
    if (response.status === 404) throw new AppError('NOT_FOUND');
    if (!response.ok) throw new Unreachable();
    return await readBytes(response, silence.restart).catch(unreachable);
  } finally {
    silence.stop();
  }
}

/** A user-facing message for any error. */
export function errorMessage(error: unknown): string {
  if (error instanceof AppError && error.code === 'TOO_MANY' && error.retryAfterMs !== undefined) {
    return `${error.message} Try again in ${formatDuration(error.retryAfterMs)}.`;
  }
  return error instanceof AppError || error instanceof Unreachable
    ? error.message
    : errors.INTERNAL.message;
}
