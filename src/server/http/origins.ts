// Which hosts we answer under, and from which pages we take writes.
import type { IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';

export interface Origins {
  /** Whether the host that is asked is ours: in `Host`, and in the request line where that names one. */
  isKnownTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): boolean;
  /** Whether a page of ours asks: by `Origin`, and by `Sec-Fetch-Site` where the browser sends it. */
  isOurPage(origin: string | null | undefined, fetchSite: string | null | undefined): boolean;
}

/** PUBLIC_URL's scheme and port with its host and each of the allowed ones. */
export function createOrigins({ publicUrl, allowedHosts }: Config, port: number): Origins {
  const hosts = new Set([publicUrl.hostname, ...allowedHosts]);

  function isKnownHost(host: string | undefined): boolean {
    const url = host ? parse(`${publicUrl.protocol}//${host}`) : null;
    if (!url || !hosts.has(url.hostname)) return false;
    // A monitor on this machine may ask past the web server that stands before it.
    return url.port === publicUrl.port || url.port === String(port);
  }

  return {
    isKnownTarget({ url = '', headers: { host } }) {
      const absolute = url.startsWith('/') ? null : parse(url);
      return isKnownHost(host) && (!absolute || isKnownHost(absolute.host));
    },
    isOurPage(origin, fetchSite) {
      // Nothing else than a browser says it, and only a page cannot make one say otherwise.
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
