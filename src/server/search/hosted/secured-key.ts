import { createHmac } from 'node:crypto';

/**
 * Creates a restricted key from a parent key, as Algolia documents. The restrictions are readable, but only
 * the holder of the parent key can create it. Algolia's own function is missing from its browser types.
 */
export function securedKey(
  parent: string,
  restrictions: Readonly<Record<string, string | number>>,
): string {
  const sorted = Object.entries(restrictions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = sorted.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const signature = createHmac('sha256', parent).update(text).digest('hex');
  return Buffer.from(signature + text).toString('base64');
}
