// Which hosts we answer under, and from which pages we take writes.
import type { Config } from '../config.ts';

export interface Origins {
  isKnownHost(host: string | null | undefined): boolean;
  isKnownOrigin(origin: string | null | undefined): boolean;
}

/** PUBLIC_URL's scheme and port with its host and each of the allowed ones. */
export function createOrigins({ publicUrl, allowedHosts }: Config, port: number): Origins {
  const hosts = new Set([publicUrl.hostname, ...allowedHosts]);

  return {
    isKnownHost(host) {
      const url = host ? parse(`${publicUrl.protocol}//${host}`) : null;
      if (!url || !hosts.has(url.hostname)) return false;
      // A monitor on this machine may ask past the web server that stands before it.
      return url.port === publicUrl.port || url.port === String(port);
    },
    isKnownOrigin(origin) {
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
