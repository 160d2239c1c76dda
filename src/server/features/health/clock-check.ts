// Compares this machine's clock with those of the services that it uses: the database, which all nodes share, the mail server
// and the identity provider.
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Config } from '#server/config/config-types.ts';
import { maxNoticeAgeMs } from '#server/nodes/notices.ts';
import type { Database } from '#server/store/tables.ts';
import { readDatabaseTime } from './daily-counts-queries.ts';

/** Half of the age at which nodes reject a notice, because the clocks of two nodes can be wrong in opposite directions. */
export const maxClockErrorMs = maxNoticeAgeMs / 2; // DOCTOR-13
const timeoutMs = 5_000;
/** Services of others are asked only in each tenth run. */
const runsPerRemoteCheck = 10;

/** @returns a check for each renewal of the metrics, which tells whether a clock differed the last time that it was read */
export function createClockCheck(
  { database, mail, oidc }: Pick<Config, 'database' | 'mail' | 'oidc'>,
  db: Database,
): () => Promise<boolean> {
  const differing = new Map<string, boolean>();
  let runs = 0;

  /** A service that does not answer or tells no time keeps what it told last. */
  async function compare(service: string, read: () => Promise<Date | null>): Promise<void> {
    const time = await read().catch(() => null);
    if (time === null) return;
    differing.set(service, Math.abs(Date.now() - time.getTime()) > maxClockErrorMs);
  }

  return async () => {
    if (runs % runsPerRemoteCheck === 0) {
      if (mail.kind === 'smtp') void compare('mail', () => readMailServerTime(new URL(mail.url)));
      if (oidc) void compare('sign-on', () => readHttpTime(oidc.issuer));
    }
    runs += 1;
    if (database.kind === 'postgres') await compare('database', () => readDatabaseTime(db));
    return [...differing.values()].includes(true);
  };
}

async function readHttpTime(url: URL): Promise<Date | null> {
  const answer = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(timeoutMs) });
  const date = answer.headers.get('date');
  return date === null ? null : new Date(date);
}

/** Reads the greeting, in which many mail servers tell the time: `220 mail.example ESMTP; Mon, 30 Nov 2026 08:00:00 +0100`. */
async function readMailServerTime(url: URL): Promise<Date | null> {
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (isSecure ? 465 : 587);
  // Nothing secret is sent, and a forged time could only ring an alert.
  const socket = isSecure
    ? connectTls({
        host,
        port,
        rejectUnauthorized: false,
        ...(isIP(host) === 0 && { servername: host }),
      })
    : connect({ host, port });
  socket.on('error', () => {});
  try {
    const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(timeoutMs) });
    socket.end('QUIT\r\n');
    const [time] =
      /\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:[+-]\d{4}|GMT|UTC)/.exec(String(greeting)) ??
      [];
    return time === undefined ? null : new Date(time);
  } finally {
    setTimeout(() => socket.destroy(), 1_000).unref();
  }
}
