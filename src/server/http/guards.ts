// What every request passes before its route, and what every answer carries.
import type { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { Refusal } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { routes } from '#contract/routes.ts';
import type { Origins } from './origins.ts';

/** Monitors ask by address, under no host name of ours. */
const healthPaths = new Set(['/healthz', '/readyz']);

/** @param dataFrom what pages may ask besides their own origin */
export function guard(
  app: Hono,
  origins: Origins,
  https: boolean,
  dataFrom: readonly string[],
): void {
  app.use(async (context, next) => {
    const known = origins.isKnownHost(context.req.header('host'));
    if (!known && !healthPaths.has(context.req.path)) throw new Refusal('UNKNOWN_HOST');
    await next();
  });

  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'https:', 'data:', 'blob:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...dataFrom],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: 'no-referrer',
      xFrameOptions: 'DENY',
      strictTransportSecurity: https ? 'max-age=31536000' : false,
    }),
  );

  app.use(async (context, next) => {
    if (isWrite(context.req.method)) {
      const site = context.req.header('sec-fetch-site');
      const foreignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
      if (foreignSite || !origins.isKnownOrigin(context.req.header('origin'))) {
        throw new Refusal('FORBIDDEN_ORIGIN');
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
      throw new Refusal('TOO_LARGE');
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
