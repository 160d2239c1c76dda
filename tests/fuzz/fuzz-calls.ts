// Sends one account's HTTP calls with invalid input.
import { Agent, request } from 'node:http';
import type { z } from 'zod';
import { http } from '#contract/http.ts';
import { toRouteUrl, routes, type RouteName } from '#contract/routes.ts';
import type { Random } from '#tests/support/random.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { Findings } from './findings.ts';
import type { Fuzzer } from './fuzz-socket.ts';
import { corrupt, corruptBytes, corruptText } from './corrupt.ts';
import { createDraw, type Draw, type Json, type KnownIds } from './valid-values.ts';

interface Dependencies {
  client: TestClient;
  origin: string;
  random: Random;
  known: KnownIds;
  /** Classes that every account may join and leave. They contain no account's marks. */
  open: KnownIds;
  findings: Findings;
}

interface Call {
  name: RouteName;
  params: Draw | null;
  query: Draw | null;
  body: Draw | null;
}

const calls: Call[] = (Object.keys(routes) as RouteName[]).map((name) => {
  const schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType } =
    http[name];
  const createOptionalDraw = (schema?: z.ZodType) => (schema ? createDraw(schema) : null);
  return {
    name,
    params: createOptionalDraw(schemas.params),
    query: createOptionalDraw(schemas.query),
    body: createOptionalDraw(schemas.body),
  };
});
/** Converts the values to text, because an address has only text. */
function toTexts(value: Json): Record<string, string> {
  const pairs = Object.entries(value ?? {}).map(([key, field]) => [
    key,
    typeof field === 'string' ? field.toWellFormed() : JSON.stringify(field),
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** Hashing a password takes more CPU time than a thousand other calls. */
const costly = new Set<RouteName>(['signUp', 'signIn', 'changePassword', 'deleteAccount']);
const endsSessions = new Set<RouteName>(['signOut', 'signOutDevice', 'signOutOtherDevices']);
const perRound = 16;
const headers = [
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-encoding', 'gzip'],
  ['x-forwarded-for', '::::, [x]:y, 999.1.1.1'],
  ['x-forwarded-for', ','.repeat(2000)],
  ['x-http-method-override', 'DELETE'],
  ['accept-encoding', '*;q=0'],
  ['if-none-match', '"\u00ff'],
  ['range', 'bytes=9-0'],
  ['cookie', 'backchannel.session_token=%E0%A4%A; backchannel.session_token=.'],
  ['cookie', `backchannel.session_token=${'a'.repeat(5000)}.b`],
  ['sec-fetch-site', '?'],
  ['expect', 'nothing'],
] as const;

export function createCallFuzzer(dependencies: Dependencies): Fuzzer {
  const { client, origin, random, known, open, findings } = dependencies;
  const cookie = client.cookie();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });

  function drawCall(): Call {
    for (;;) {
      const call = random.pick(calls);
      if (!costly.has(call.name) || random.chance(0.01)) return call;
    }
  }

  function draw() {
    const { name, params, query, body } = drawCall();
    const ids = name === 'joinClass' || name === 'leaveClass' ? open : known;
    const toStrings = (value: unknown) => value as Record<string, string>;
    let path = toRouteUrl(name, {
      params: params ? toStrings(params(random, ids)) : {},
      query: query ? toTexts(random.chance(0.5) ? query(random, known) : drawCorrupted(query)) : {},
    });
    let route: RouteName | null = name;
    if (random.chance(0.1)) {
      const place = random.int(1, path.length);
      path =
        path.slice(0, place) +
        random.pick(['%', '%00', '/', '..', '%2f', '?', '//', '%ff', ';']) +
        path.slice(place);
      route = null;
    }
    const text = body
      ? JSON.stringify(random.chance(0.2) ? body(random, known) : drawCorrupted(body))
      : '{}';
    const corruptContent = random.chance(0.5) ? corruptText : corruptBytes;
    const content = random.chance(0.8) ? text : corruptContent(text ?? 'null', random);
    const extra = random.chance(0.3) ? [random.pick(headers)] : [];
    // The fuzzer does not sign accounts out at random, because it needs their sessions.
    const sessionHeaders = endsSessions.has(name) ? [] : [['cookie', cookie] as const];
    const { method } = routes[name];
    return {
      name: route,
      method,
      path,
      content: content ?? 'null',
      headers: [...sessionHeaders, ...extra],
    };
  }

  function drawCorrupted(drawValue: Draw) {
    return corrupt(drawValue(random, known), random);
  }

  function send({
    name,
    method,
    path,
    content,
    headers: extra,
  }: ReturnType<typeof draw>): Promise<void> {
    const description = `${method} ${path} ${String(content)} ${JSON.stringify(extra.filter(([key]) => key !== 'cookie'))}`;
    return new Promise((resolve) => {
      try {
        const sentRequest = request(origin, {
          agent,
          method,
          path,
          headers: { origin, 'content-type': 'application/json', ...Object.fromEntries(extra) },
        });
        sentRequest.on('response', (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => (text += part));
          answer.on('end', () => {
            // A changed cookie changes the caller, and a changed path changes the call.
            findings.reply(client.name, name, answer.statusCode ?? 0, text, description);
            resolve();
          });
          answer.on('error', () => resolve());
        });
        sentRequest.on('error', (error: NodeJS.ErrnoException) => {
          // The server may close the connection if the input is not HTTP or too large, but it must not exit.
          if (error.code === 'ECONNREFUSED') {
            findings.add(`the server stopped listening after ${description}`);
          }
          resolve();
        });
        sentRequest.end(method === 'GET' ? undefined : content);
      } catch {
        // Node's client refuses to send this.
        resolve();
      }
    });
  }

  return {
    async round() {
      await Promise.all(Array.from({ length: perRound }, () => send(draw())));
      return perRound;
    },
    end: () => agent.destroy(),
  };
}
