/** The school key of a host name: its first label. */
export function toSchoolKey(hostname: string): string {
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  const label = hostname.split('.')[0] ?? '';
  const hasName = !isAddress && label !== 'localhost' && /^[a-z0-9-]{1,63}$/i.test(label);
  return hasName ? label : 'default';
}
