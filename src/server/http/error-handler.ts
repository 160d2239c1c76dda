// The one place where a refusal becomes an HTTP answer.
import { RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { errors, AppError, type ErrorBody } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import { retryAfterSeconds, retryTime } from '../retry-time.ts';
import { QueryError } from '../search/query-error.ts';
import { toRefusal } from '../storage/storage-errors.ts';
import { ReplyNotAllowed } from './route.ts';

export function handleErrors(app: Hono, log: Log): void {
  app.onError((error, context) => {
    context.header('cache-control', 'no-store'); // HTTP-38
    // What Algolia's clients ask is refused as Algolia does it.
    if (error instanceof QueryError) {
      const { message, status } = error;
      return context.json({ message, status }, status);
    }
    if (!(error instanceof AppError)) {
      const event = error instanceof ReplyNotAllowed ? 'reply.not-allowed' : 'request.failed';
      log.error(event, { error, route: context.req.routePath });
    }
    const { code, message, retryAfterMs } = toRefusal(error);
    const { status } = errors[code];
    if (status === 429 || status === 503) {
      context.header('retry-after', retryAfterSeconds(retryAfterMs ?? retryTime(0))); // LIMIT-26
    }
    return context.json({ code, message } satisfies ErrorBody, status);
  });
}

/** For a request that no `Request` can be made of, such as one for a host that is no name. */
export function answerUnreadable(error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500;
  return new Response(null, { status, headers: { 'cache-control': 'no-store' } });
}
