// The security headers of every response.
import type { MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';

/**
 * Browser features that no page uses. Chromium logs a warning on each page for a feature that it does
 * not know.
 */
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
 * Also sets `nosniff`, and `same-origin` for opener and resources, which are Hono's defaults.
 *
 * @param https whether browsers must use only https for this site from now on
 * @param dataFrom the other origins that pages may connect to
 * @param logoOrigins returns the origins of the schools' logos, as a new list after a theme has changed
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
      // A picture that waits to be sent has a blob URL.
      imgSrc: ["'self'", ...logosFrom, 'data:', 'blob:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'", ...dataFrom],
      manifestSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      // The app never creates code or markup from text. This also prevents its libraries from doing so.
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
    permissionsPolicy: Object.fromEntries(unused.map((feature) => [feature, false])),
    referrerPolicy: 'no-referrer',
    strictTransportSecurity: https ? 'max-age=31536000' : false,
    xFrameOptions: 'DENY',
  });
}
