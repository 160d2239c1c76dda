// GET /metrics, for monitors on this machine and for monitors that send the token.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { metricsPath } from '#server/http/request-guards.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Metrics } from '#server/base/metrics.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');
/** A proxy on this machine also connects from a loopback address. Each of these headers shows that a proxy forwarded the request. */
const forwardingHeader = /^(x-forwarded|forwarded|via$|x-real-ip|x-client-ip|true-client-ip|cf-)/;

type Settings = Pick<Config, 'metricsToken' | 'publicUrl' | 'trustedProxies'>;

export function registerMetricsRoute(
  app: Hono,
  { page, contentType }: Pick<Metrics, 'page' | 'contentType'>,
  { metricsToken, publicUrl, trustedProxies }: Settings,
): void {
  // https needs a proxy. A proxy that TRUSTED_PROXIES does not count may add no header, so that all forwarded requests look local.
  const mayBeProxied = publicUrl.protocol === 'https:' && trustedProxies === 0;
  app.get(metricsPath, (context) => {
    const { incoming } = context.env as HttpBindings;
    const { authorization } = incoming.headers;
    const isAllowed =
      authorization === undefined
        ? !mayBeProxied && isLocal(incoming)
        : isBearer(authorization, metricsToken);
    if (!isAllowed) {
      context.header('www-authenticate', 'Bearer');
      throw new AppError(
        'UNAUTHENTICATED',
        'Metrics are for this machine itself, or for a request with the token of METRICS_TOKEN.',
      );
    }
    return context.body(page(), 200, { 'content-type': contentType });
  });
}

/** Whether the request comes directly from a program on this machine, and its host is this machine. METRIC-2 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '' } = socket;
  if (!isLoopback(remoteAddress)) return false;
  if (Object.keys(headers).some((name) => forwardingHeader.test(name))) return false;
  // A proxy forwards the public host name, because the app works only under that name.
  const url = `http://${headers.host ?? ''}`;
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** Compares the token in constant time. METRIC-3 */
function isBearer(authorization: string, token: string | null): boolean {
  const givenToken = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === null || givenToken === undefined) return false;
  const hashToken = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hashToken(givenToken), hashToken(token));
}
