// Requests to addresses that a learning platform named: https only, without redirects, and not into the server's own network.
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { limitLength } from '#server/base/limit-length.ts';
import type { Config } from '#server/config/config-types.ts';

type PlatformFetch = (
  url: string | URL,
  init?: { method?: string; headers?: Headers | Record<string, string>; body?: string },
) => Promise<Response>;

const timeoutMs = 5_000; // LTI-4

/**
 * @param origin where people open the platform. The operator named it, so it can be in the server's own network.
 * @returns a `fetch` that throws if an address is not allowed, or does not answer in time
 */
export function createPlatformFetch(
  origin: string,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): PlatformFetch {
  return async (address, { method = 'GET', headers = {}, body } = {}) => {
    const url = new URL(address);
    const isHttps = url.protocol === 'https:';
    // A site on http is for trying, with a platform on the same machine.
    if (!isHttps && publicUrl.protocol === 'https:') throw new Error('The address is not https.');
    const addresses = await lookup(url.hostname.replace(/^\[|\]$/g, ''), { all: true });
    const isPublic = addresses.every((one) => ipaddr.process(one.address).range() === 'unicast');
    if (!isPublic && url.host !== new URL(origin).host) throw new Error('The address is private.');
    const request = (isHttps ? requestHttps : requestHttp)(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      // What was checked is what is connected to: a second lookup could answer another address.
      lookup: (_name, _options, callback) => callback(null, addresses),
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    request.end(body);
    const [reply] = (await once(request, 'response')) as [IncomingMessage];
    const content = Readable.toWeb(reply) as ReadableStream<Uint8Array>;
    // Nothing follows a redirect: it is an answer that is not 'ok'.
    return new Response(limitLength(content), { status: reply.statusCode ?? 0 });
  };
}
