// The security headers of every response.

/**
 * Browser features that no page uses. Chromium logs a warning on each page for a feature that it does
 * not know.
 */
const unusedFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

type HeaderList = readonly (readonly [name: string, value: string])[];

/**
 * @param https whether browsers must use only https for this site from now on
 * @param connectOrigins the other origins that pages may connect to
 * @param logoOrigins the origins of the schools' logos
 */
export function createSecurityHeaders(
  https: boolean,
  connectOrigins: readonly string[],
  logoOrigins: readonly string[],
): HeaderList {
  const contentSecurityPolicy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // A picture that waits to be sent has a blob URL.
    ["img-src 'self'", ...logoOrigins, 'data:', 'blob:'].join(' '),
    "font-src 'self'",
    ["connect-src 'self'", ...connectOrigins].join(' '),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // The app never creates code or markup from text. This also prevents its libraries from doing so. The one policy
    // gives the address of the service worker.
    "require-trusted-types-for 'script'",
    'trusted-types service-worker',
  ];
  return [
    ['content-security-policy', contentSecurityPolicy.join('; ')],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    ['origin-agent-cluster', '?1'],
    ['permissions-policy', unusedFeatures.map((feature) => `${feature}=()`).join(', ')],
    ['referrer-policy', 'no-referrer'],
    ...(https ? [['strict-transport-security', 'max-age=31536000'] as const] : []),
    ['x-content-type-options', 'nosniff'],
    ['x-dns-prefetch-control', 'off'],
    ['x-download-options', 'noopen'],
    ['x-frame-options', 'DENY'],
    ['x-permitted-cross-domain-policies', 'none'],
    ['x-xss-protection', '0'],
  ];
}
