// Which hosts we answer under, and from which pages we take writes.
import type { Config } from '../config.ts';

export interface Origins {
  isKnownHost(host: string | null | undefined): boolean;
  isKnownOrigin(origin: string | null | undefined): boolean;
}

/** PUBLIC_URL's scheme and port with its host and each of the allowed ones. */
export function createOrigins({ publicUrl, allowedHosts }: Config, port: number): Origins {
  const hosts = new Set([publicUrl.hostname, ...allowedHosts]);
  const ports = new Set([publicUrl.port, String(port)]);

  function isKnown(url: URL | null): boolean {
    return url !== null && hosts.has(url.hostname) && ports.has(url.port);
  }

  return {
    isKnownHost(host) {
      return isKnown(host ? parse(`${publicUrl.protocol}//${host}`) : null);
    },
    isKnownOrigin(origin) {
      const url = origin ? parse(origin) : null;
      return url?.protocol === publicUrl.protocol && isKnown(url);
    },
  };
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
