// What every request passes before its route, and what every answer carries.
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { routes } from '#contract/routes.ts';
import type { Origins } from './origins.ts';
import { securityHeaders } from './security-headers.ts';

/** Monitors ask by address, under no host name of ours. */
const healthPaths = new Set(['/healthz', '/readyz']);

/**
 * @param dataFrom what pages may ask besides their own origin
 * @param logoOrigins where the schools' logos are
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
  // To look at a body makes a whole Request of what came: not for a read, whose body nobody reads.
  app.use((context, next) => {
    const { method, path } = context.req;
    return isWrite(method) && !takesUploads.test(path) ? limitBody(context, next) : next();
  });
}

/** Pictures are larger, and are counted where they are read. */
const takesUploads = new RegExp(`^${routes.uploadImage.path.replace(/:\w+/g, '[^/]+')}$`);

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
