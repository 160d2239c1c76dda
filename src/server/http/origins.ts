// The hosts under which the server replies, and the pages that may send writes.
import type { IncomingMessage } from 'node:http';
import type { Config } from '#server/config/config-types.ts';

export interface Origins {
  /** Whether the requested host is known, in `Host` and in an absolute request line. */
  isAllowedHost(request: Pick<IncomingMessage, 'url' | 'headers'>): boolean;
  /**
   * Whether a page of this server sent the request, by `Origin` and, if the browser sends it,
   * `Sec-Fetch-Site`.
   */
  isAllowedOrigin(origin: string | null | undefined, fetchSite: string | null | undefined): boolean;
}

/** Allows PUBLIC_URL's scheme and port with its own host and each of the allowed hosts. */
export function createOrigins({ publicUrl, allowedHosts }: Config, port: number): Origins {
  const hosts = new Set([publicUrl.hostname, ...allowedHosts]);

  function isAllowedAuthority(host: string | undefined): boolean {
    const url = host ? parse(`${publicUrl.protocol}//${host}`) : null;
    if (!url || !hosts.has(url.hostname)) return false;
    // A monitor on this machine may bypass the reverse proxy.
    return url.port === publicUrl.port || url.port === String(port);
  }

  return {
    isAllowedHost({ url = '', headers: { host } }) {
      const absolute = url.startsWith('/') ? null : parse(url);
      return isAllowedAuthority(host) && (!absolute || isAllowedAuthority(absolute.host));
    },
    isAllowedOrigin(origin, fetchSite) {
      // Only browsers send this header, and a page cannot change it.
      if (fetchSite && fetchSite !== 'same-origin' && fetchSite !== 'none') return false;
      const url = origin ? parse(origin) : null;
      if (!url || url.origin !== origin) return false;
      const { protocol, hostname, port: from } = url;
      return protocol === publicUrl.protocol && from === publicUrl.port && hosts.has(hostname);
    },
  };
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
