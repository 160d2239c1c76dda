/** The first that is found names it: newer browsers carry the names of older ones as well. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * What a person knows a device by, such as 'Chrome on Windows': names of these two lists and nothing
 * else of what the browser said, which would tell one student's from another's.
 */
export function deviceName(userAgent: string): string {
  const browser = browsers.find(([mark]) => mark.test(userAgent))?.[1] ?? 'A browser';
  const system = systems.find(([mark]) => mark.test(userAgent))?.[1];
  return system ? `${browser} on ${system}` : browser;
}
