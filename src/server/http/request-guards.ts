// The checks before every route, and the headers of every response.
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { ltiLaunchPath, ltiLoginPath } from '#contract/lti.ts';
import { routes } from '#contract/routes.ts';
import type { Origins } from './origins.ts';
import { createSecurityHeaders } from './security-headers.ts';

/** A reply that no one reads holds a file and megabytes in the system's buffers. */
const maxUntakenMs = 60_000; // HTTP-54

/** A body has at most 64 KiB. Until all of it is there, the request holds memory and a connection. */
const maxBodyMs = 10_000; // HTTP-54

export const metricsPath = '/metrics';

/** Monitors connect by IP address, without a known host name. */
const monitoredPaths = new Set(['/healthz', '/readyz', metricsPath]);

/**
 * Mail servers send no origin, and the call uses no cookie, only the secret in its address (DIGEST-8). Learning platforms send
 * theirs; a launch uses only a cookie that its login set for it (LTI-3).
 */
const pathsOfOtherOrigins = new Set<string>([
  routes.unsubscribeDigest.path,
  ltiLoginPath,
  ltiLaunchPath,
]);

/**
 * @param connectOrigins the other origins that pages may connect to
 * @param logoOrigins the origins of the schools' logos
 */
export function addRequestGuards(
  app: Hono,
  origins: Origins,
  https: boolean,
  connectOrigins: readonly string[],
  logoOrigins: readonly string[],
): void {
  const headers = createSecurityHeaders(https, connectOrigins, logoOrigins);

  app.use((context, next) => {
    const { incoming, outgoing } = context.env as HttpBindings;
    // On Node's response, because Hono's take 20 µs per response. A route's own headers replace these.
    for (const [name, value] of headers) outgoing.setHeader(name, value);
    outgoing.setHeader('cache-control', 'no-store'); // HTTP-10
    const isAllowed = origins.isAllowedHost(incoming);
    if (!isAllowed && !monitoredPaths.has(context.req.path)) throw new AppError('UNKNOWN_HOST');
    if (isWrite(context.req.method) && !pathsOfOtherOrigins.has(context.req.path)) {
      const { req } = context;
      if (!origins.isAllowedOrigin(req.header('origin'), req.header('sec-fetch-site'))) {
        throw new AppError('FORBIDDEN_ORIGIN');
      }
    }
    return next();
  });

  closeUntaken(app, maxUntakenMs);

  const limitBody = bodyLimit({
    maxSize: limits.bodyBytes,
    onError: () => {
      throw new AppError('TOO_LARGE');
    },
  });
  // Checking a body builds a whole Request. Reads skip this, because no route uses their body.
  app.use((context, next) => {
    const { method, path } = context.req;
    if (!isWrite(method) || uploadPath.test(path)) return next();
    closeLate((context.env as HttpBindings).incoming, maxBodyMs);
    return limitBody(context, next);
  });
}

/** Closes the connection if its request has not arrived completely after `ms` milliseconds. */
export function closeLate(request: IncomingMessage, ms: number): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, ms);
  request.once('close', () => clearTimeout(timer));
}

/** Closes a connection if the other side takes no byte of a reply for `ms` milliseconds. */
export function closeUntaken(app: Hono, ms: number): void {
  app.use(async ({ env }, next) => {
    await next();
    // From here on, Node closes the connection when no byte has moved for this time.
    (env as HttpBindings).outgoing.setTimeout(ms);
  });
}

/** The route without a body limit: pictures are larger, and the upload limits their size itself. */
const uploadPath = new RegExp(`^${routes.uploadImage.path.replace(/:\w+/g, '[^/]+')}$`);

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
