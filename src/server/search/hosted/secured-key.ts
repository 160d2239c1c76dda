import { createHmac } from 'node:crypto';

/**
 * A key that can do no more than its parent, within these restrictions: anybody may read them, and only
 * who holds the parent can make it. As Algolia documents it; its own client hides this from browsers' types.
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
