import { errors, Refusal, type ErrorCode } from '#contract/errors.ts';
import type { CallInput, CallReply } from '#contract/http.ts';
import { routeUrl } from '#contract/route-url.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { formatDuration } from './format-duration.ts';

/** No answer came at all: nobody knows whether the server did what was asked. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  constructor() {
    super('The server cannot be reached. Please check your connection and try again.');
  }
}

/** The error of a refused request, whether our server or a proxy answered. */
export function refusalFrom(body: unknown, retryAfter: string | null): Refusal {
  if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) {
    const { code, message } = body;
    if (typeof code === 'string' && Object.hasOwn(errors, code) && typeof message === 'string') {
      return new Refusal(code as ErrorCode, message, retryAfterMs(retryAfter));
    }
  }
  return new Refusal('INTERNAL');
}

/** @param retryAfter the header, in seconds */
function retryAfterMs(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter ?? NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

/**
 * One HTTP call of the contract.
 *
 * @throws a Refusal, or Unreachable when no answer came in time
 */
export async function call<N extends RouteName>(
  name: N,
  input: CallInput<N>,
  withinMs = 20_000,
): Promise<CallReply<N>> {
  const { body, ...parts }: { body?: unknown } = input;
  const init: RequestInit = { method: routes[name].method, signal: AbortSignal.timeout(withinMs) };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json' };
  }
  let response: Response;
  try {
    response = await fetch(routeUrl(name, parts), init);
  } catch {
    throw new Unreachable();
  }
  if (!response.ok) {
    const answer: unknown = await response.json().catch(() => null);
    throw refusalFrom(answer, response.headers.get('retry-after'));
  }
  try {
    return (await response.json()) as CallReply<N>;
  } catch {
    throw new Unreachable();
  }
}

/** A sentence that a person can read about what went wrong. */
export function errorMessage(error: unknown): string {
  if (error instanceof Refusal && error.code === 'TOO_MANY' && error.retryAfterMs !== undefined) {
    return `${error.message} Try again in ${formatDuration(error.retryAfterMs)}.`;
  }
  return error instanceof Refusal || error instanceof Unreachable
    ? error.message
    : errors.INTERNAL.message;
}
