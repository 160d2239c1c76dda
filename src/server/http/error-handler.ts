// The only place that converts an error to an HTTP response.
import { RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { sanctionBytes } from '#contract/entities.ts';
import { errors, AppError, type ErrorBody, type ErrorCode } from '#contract/errors.ts';
import { toPaddedJson } from '#server/base/personal-padding.ts';
import type { Log } from '#server/base/log.ts';
import { retryAfterSeconds, retryTime } from '#server/base/retry-time.ts';
import { toAppError } from '#server/store/storage-errors.ts';
import { ReplyNotAllowed } from './route.ts';

/** @param onError called with the code of each response that is an error */
export function handleErrors(
  app: Hono,
  log: Log,
  onError: (code: ErrorCode) => void = () => {},
): void {
  app.onError((error, context) => {
    context.header('cache-control', 'no-store'); // HTTP-10
    if (!(error instanceof AppError)) {
      const event = error instanceof ReplyNotAllowed ? 'reply.not-allowed' : 'request.failed';
      log.error(event, { error, route: context.req.routePath });
    }
    const { code, message, reason, values, retryAfterMs, sanction } = toAppError(error);
    onError(code);
    const { status } = errors[code];
    if (status === 429 || status === 503) {
      context.header('retry-after', retryAfterSeconds(retryAfterMs ?? retryTime(0))); // LOG-17
    }
    const body: ErrorBody = {
      code,
      message,
      ...(reason && { reason }),
      ...(values && { values }),
      ...(sanction && { sanction }),
    };
    const json = toPaddedJson(body, sanction ? ['sanction'] : [], sanctionBytes);
    return context.body(json, status, { 'content-type': 'application/json' });
  });
}

/** Replies to a request that cannot become a `Request`, for example because its host is malformed. */
export function respondToMalformed(error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500;
  return new Response(null, { status, headers: { 'cache-control': 'no-store' } });
}
