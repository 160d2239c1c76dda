// Maps the origin of a request to keys for the rate limits. The server does not store addresses.
import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A network that requests come from. */
export interface Network {
  /** The same for all requests of the network, for the lifetime of this process. */
  key: string;
  /** How many times higher the network's limits are than those of a single customer. */
  limitMultiplier: number;
}

export interface ClientAddresses {
  /** Returns the networks that contain the address, narrowest first. */
  getNetworks(request: IncomingMessage): readonly [Network, ...Network[]];
  /** Returns the key of an email address, ignoring case. The address need not have an account. */
  hashEmail(email: string): string;
}

/** What mails are counted by: one customer can have many of the narrower networks. */
export function findWidestNetwork(networks: readonly Network[]): string | null {
  return networks.at(-1)?.key ?? null;
}

/**
 * @param trustedProxies the number of X-Forwarded-For hops to trust
 * @param secret makes the keys. By default it exists only in this process, so its keys never match those in other
 *   processes, files or logs; nodes that count together need the same one.
 */
export function createClientAddresses(
  trustedProxies: number,
  onUntrusted: () => void = () => {},
  secret: KeyObject = createSecretKey(randomBytes(32)),
): ClientAddresses {
  let hasWarned = false;

  function hashKey(text: string): string {
    return createHmac('sha256', secret).update(text).digest('base64url').slice(0, 22);
  }

  return {
    getNetworks(request) {
      const forwarded = request.headers['x-forwarded-for'];
      if (forwarded !== undefined && trustedProxies === 0 && !hasWarned) {
        hasWarned = true;
        onUntrusted();
      }
      const remote = request.socket.remoteAddress ?? '';
      const address = findForwardedAddress(String(forwarded ?? ''), trustedProxies) ?? remote;
      const toNetwork = ({ network, limitMultiplier }: Subnet) => ({
        key: hashKey(network),
        limitMultiplier,
      });
      const [narrowest, ...wider] = toSubnets(address);
      return [toNetwork(narrowest), ...wider.map(toNetwork)];
    },
    hashEmail: (email) => hashKey(email.toLowerCase()),
  };
}

/**
 * Returns the address that the outermost trusted proxy saw, or null if the header does not contain it.
 */
export function findForwardedAddress(header: string, trustedProxies: number): string | null {
  if (trustedProxies === 0) return null;
  const hops = header.split(',').map((hop) => parseAddress(hop.trim()));
  return hops[Math.max(0, hops.length - trustedProxies)] ?? null;
}

/** Removes the port, which some proxies add: `[2001:db8::1]:80`, `192.0.2.1:80`. */
function parseAddress(hop: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) ? bare : null;
}

interface Subnet {
  network: string;
  limitMultiplier: number;
}

/**
 * Returns the /64, /56 and /48 networks of an IPv6 address, because providers assign each of these to a
 * single customer. An IPv4 address is its own network.
 */
export function toSubnets(address: string): [Subnet, ...Subnet[]] {
  const withoutZone = address.replace(/%.*$/, '');
  if (!ipaddr.isValid(withoutZone)) return [{ network: withoutZone, limitMultiplier: 1 }];
  const parsed = ipaddr.process(withoutZone);
  if (!(parsed instanceof ipaddr.IPv6)) return [{ network: parsed.toString(), limitMultiplier: 1 }];
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts;
  return [
    { network: `${toText([a, b, c, d])}::/64`, limitMultiplier: 1 },
    { network: `${toText([a, b, c, d & 0xff00])}::/56`, limitMultiplier: 2 },
    { network: `${toText([a, b, c])}::/48`, limitMultiplier: 4 },
  ];
}

function toText(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
