// The push services that the server may talk to. A browser names the address, so without this list anyone with an
// account could make the server send requests to any machine.

export interface PushHost {
  /** Such as https: */
  protocol: string;
  /** A host name, with the port if it is not the usual one. */
  host: string;
  /** Whether every name below `host` is allowed instead of `host`. */
  isWildcard: boolean;
}

/** Chrome and most others, Firefox, Safari, Edge. */
export const knownPushHosts: readonly string[] = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

/**
 * `http://` is possible only for this machine, for a push service that is being developed.
 *
 * @returns null if it is not the name of a host
 */
export function parsePushHost(text: string): PushHost | null {
  const [, http, wildcard, host = ''] =
    /^(http:\/\/)?(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?)$/i.exec(text) ?? [];
  const protocol = http ? 'http:' : 'https:';
  if (!host || !URL.canParse(`${protocol}//${host}`)) return null;
  if (http && !/^(localhost|127\.0\.0\.1)(:|$)/.test(host)) return null;
  return { protocol, host: host.toLowerCase(), isWildcard: wildcard !== undefined };
}

/** @returns the push service of the address; null if it is not allowed */
export function findPushHost(endpoint: string, hosts: readonly PushHost[]): PushHost | null {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || url.username || url.password || url.hash) return null;
  const pushHost = hosts.find(({ protocol, host, isWildcard }) => {
    if (url.protocol !== protocol) return false;
    return isWildcard ? url.host.endsWith(`.${host}`) : url.host === host;
  });
  return pushHost ?? null;
}
