/** The school key of a host name: its first label. */
export function toSchoolKey(hostname: string): string {
  const address = /^[\d.]+$/.test(hostname) || hostname.startsWith('[');
  const label = hostname.split('.')[0] ?? '';
  const named = !address && label !== 'localhost' && /^[a-z0-9-]{1,63}$/i.test(label);
  return named ? label : 'default';
}
