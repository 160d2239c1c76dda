// The checks before every route, and the headers of every response.
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { routes } from '#contract/routes.ts';
import type { Origins } from './origins.ts';
import { securityHeaders } from './security-headers.ts';

/** Monitors connect by IP address, without a known host name. */
const healthPaths = new Set(['/healthz', '/readyz']);

/**
 * @param dataFrom the other origins that pages may connect to
 * @param logoOrigins returns the origins of the schools' logos
 */
export function guard(
  app: Hono,
  origins: Origins,
  https: boolean,
  dataFrom: readonly string[],
  logoOrigins: () => readonly string[],
): void {
  app.use(securityHeaders(https, dataFrom, logoOrigins));

  app.use(async (context, next) => {
    const { incoming } = context.env as HttpBindings;
    const known = origins.isKnownTarget(incoming);
    if (!known && !healthPaths.has(context.req.path)) throw new AppError('UNKNOWN_HOST');
    if (isWrite(context.req.method)) {
      const { req } = context;
      if (!origins.isOurPage(req.header('origin'), req.header('sec-fetch-site'))) {
        throw new AppError('FORBIDDEN_ORIGIN');
      }
    }
    await next();
    if (!context.res.headers.has('cache-control')) {
      context.res.headers.set('cache-control', 'no-store'); // HTTP-10
    }
  });

  const limitBody = bodyLimit({
    maxSize: limits.bodyBytes,
    onError: () => {
      throw new AppError('TOO_LARGE');
    },
  });
  // Checking a body builds a whole Request. Reads skip this, because no route uses their body.
  app.use((context, next) => {
    const { method, path } = context.req;
    return isWrite(method) && !takesUploads.test(path) ? limitBody(context, next) : next();
  });
}

/** Pictures are larger. The upload route limits their size itself. */
const takesUploads = new RegExp(`^${routes.uploadImage.path.replace(/:\w+/g, '[^/]+')}$`);

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
