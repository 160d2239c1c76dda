// Where a request comes from, as a key to count by: what it was made of is kept nowhere.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';

/** A network that a request comes from. */
export interface Network {
  /** The same for each request of it, as long as this process lives. */
  key: string;
  /** How many times as much as a single customer's it may do. */
  width: number;
}

export interface ClientAddresses {
  /** The networks around the address, the narrowest first. */
  networksOf(request: IncomingMessage): readonly [Network, ...Network[]];
  /** The same for an e-mail address: for known and unknown ones, and however it is written. */
  keyOfEmail(email: string): string;
}

/** @param trustedProxies how many hops of X-Forwarded-For are believed */
export function createClientAddresses(
  trustedProxies: number,
  onUntrusted: () => void = () => {},
): ClientAddresses {
  // Of this process alone: no other memory, file or log has the same keys.
  const secret = createSecretKey(randomBytes(32));
  let told = false;

  function keyOfText(text: string): string {
    return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22);
  }

  return {
    networksOf(request) {
      const forwarded = request.headers['x-forwarded-for'];
      if (forwarded !== undefined && trustedProxies === 0 && !told) {
        told = true;
        onUntrusted();
      }
      const remote = request.socket.remoteAddress ?? '';
      const address = forwardedAddress(String(forwarded ?? ''), trustedProxies) ?? remote;
      const keyed = ({ network, width }: Subnet) => ({ key: keyOfText(network), width });
      const [narrowest, ...wider] = networksAround(address);
      return [keyed(narrowest), ...wider.map(keyed)];
    },
    keyOfEmail: (email) => keyOfText(email.toLowerCase()),
  };
}

/** The address that the outermost of our own proxies saw, or null where none of them says one. */
export function forwardedAddress(header: string, trustedProxies: number): string | null {
  if (trustedProxies === 0) return null;
  const hops = header.split(',').map((hop) => bareAddress(hop.trim()));
  return hops[Math.max(0, hops.length - trustedProxies)] ?? null;
}

/** `[2001:db8::1]:80`, `192.0.2.1:80`: proxies write ports, too. */
function bareAddress(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) ? bare : null;
}

interface Subnet {
  network: string;
  width: number;
}

/**
 * Of IPv6 the /64, the /56 and the /48: providers hand out any of these to one customer. An IPv4 address
 * is its own network.
 */
export function networksAround(address: string): [Subnet, ...Subnet[]] {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped || !isIPv6(bare)) return [{ network: mapped ?? bare, width: 1 }];
  // As URLs write it: without zeros at the start of a group, and no dotted end.
  const [start = '', end] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const before = start.split(':').filter(Boolean);
  const after = (end ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const [a, b, c, d = '0'] = [...before, ...zeros, ...after];
  const subnet = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return [
    { network: `${a}:${b}:${c}:${d}::/64`, width: 1 },
    { network: `${a}:${b}:${c}:${subnet}::/56`, width: 2 },
    { network: `${a}:${b}:${c}::/48`, width: 4 },
  ];
}
