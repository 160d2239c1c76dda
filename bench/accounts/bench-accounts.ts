// `npm run bench -- accounts` compares the server's response times for an address with an account and for one without.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestClient } from '#tests/support/test-client.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { median } from '../percentiles.ts';
import { startBackchannel } from '../server-process.ts';
import { mannWhitney } from './mann-whitney.ts';

const password = 'correct horse battery';
const known = 'known@university.edu';
/** Lets background work of one response finish before the next request. */
const pauseMs = 20;

const calls = {
  'sign-in': { path: '/api/auth/sign-in/email', body: { password: 'not the right one' } },
  reset: { path: '/api/auth/request-password-reset', body: {} },
  'sign-up': { path: '/api/auth/sign-up/email', body: { password } },
};

/** Prints one row for each call. @param args the number of pairs (default 200) */
export async function benchAccounts([pairs = '200']: string[]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const settings = { EMAIL_VERIFICATION: 'required', ...unlimitedRates };
  const server = await startBackchannel({ dataDir, settings });
  try {
    const { origin } = server;
    await makeKnown(origin, dataDir);
    console.log(`${pairs} pairs each, in milliseconds, known and unknown in random order\n`);
    console.log('call     median known  median unknown  difference  p (Mann-Whitney)');
    for (const [name, { path, body }] of Object.entries(calls)) {
      const ask = (email: string) => timeOf(`${origin}${path}`, origin, { ...body, email });
      const times = await takePairs(name, Number(pairs), ask);
      console.log(row(name, times));
    }
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function makeKnown(origin: string, dataDir: string): Promise<void> {
  const student = createTestClient(origin, known);
  await student.call('signUp', { body: { email: known, password } });
  let token: string | undefined;
  while (!token) {
    const [file] = readdirSync(join(dataDir, 'mail'));
    const mail = file ? readFileSync(join(dataDir, 'mail', file), 'utf8') : '';
    token = /verify-email\?token=(\S+)/.exec(mail)?.[1];
    await sleep(pauseMs);
  }
  await student.call('verifyEmail', { body: { token, password } });
}

interface Times {
  known: number[];
  unknown: number[];
}

async function takePairs(
  name: string,
  pairs: number,
  ask: (email: string) => Promise<number>,
): Promise<Times> {
  const times: Times = { known: [], unknown: [] };
  const take = async (kind: keyof Times, n: number) => {
    const email = kind === 'known' ? known : `nobody${n}.${name}@university.edu`;
    const took = await ask(email);
    // The first iterations warm up.
    if (n >= 0) times[kind].push(took);
    await sleep(pauseMs);
  };
  for (let n = -10; n < pairs; n++) {
    const order =
      Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of order) await take(kind, n);
  }
  return times;
}

async function timeOf(url: string, origin: string, body: object): Promise<number> {
  const before = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  const took = performance.now() - before;
  if (response.status !== 200 && response.status !== 401) {
    throw new Error(`The server answered ${response.status}.`);
  }
  return took;
}

function row(name: string, { known: one, unknown: other }: Times): string {
  const first = median(one);
  const second = median(other);
  const cell = (value: number, width: number) => value.toFixed(3).padStart(width);
  return `${name.padEnd(8)} ${cell(first, 12)}  ${cell(second, 14)}  ${cell(first - second, 10)}  ${cell(mannWhitney(one, other), 16)}`;
}
