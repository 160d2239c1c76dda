// What every answer tells the browser to refuse, whatever page or text it should ever show.
import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

/** What no page of ours asks a browser for; one that Chromium does not know is a warning on each page. */
const unused = [
  'accelerometer',
  'camera',
  'displayCapture',
  'geolocation',
  'gyroscope',
  'hid',
  'idleDetection',
  'localFonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screenWakeLock',
  'serial',
  'usb',
  'xrSpatialTracking',
] as const;

/**
 * With `nosniff`, and `same-origin` for opener and resources, which are Hono's defaults.
 *
 * @param https whether the site is to be asked for by https alone from now on
 * @param dataFrom what pages may ask besides their own origin
 * @param logoOrigins where the schools' logos are; another list when a theme has changed
 */
export function securityHeaders(
  https: boolean,
  dataFrom: readonly string[],
  logoOrigins: () => readonly string[],
): MiddlewareHandler {
  let origins = logoOrigins();
  let setHeaders = headersWith(https, dataFrom, origins);
  return (context, next) => {
    const now = logoOrigins();
    if (now !== origins) {
      origins = now;
      setHeaders = headersWith(https, dataFrom, origins);
    }
    return setHeaders(context, next);
  };
}

function headersWith(
  https: boolean,
  dataFrom: readonly string[],
  logosFrom: readonly string[],
): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      // A picture that waits to be sent is a blob.
      imgSrc: ["'self'", ...logosFrom, 'data:', 'blob:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'", ...dataFrom],
      manifestSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      // Nothing of ours makes code or markup of text, and nothing that we use may begin to.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
    permissionsPolicy: Object.fromEntries(unused.map((feature) => [feature, false])),
    referrerPolicy: 'no-referrer',
    strictTransportSecurity: https ? 'max-age=31536000' : false,
    xFrameOptions: 'DENY',
  });
}
