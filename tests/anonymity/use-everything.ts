// One marked student uses every feature, while observers collect everything that they can request.
import { randomBytes, randomUUID } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { http } from '#contract/http.ts';
import { routeUrl } from '#contract/route-url.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { clientFrame } from '#contract/socket.ts';
import { createStudent, type Browser, type LiveEnd, type Student } from '../../scripts/student.ts';
import { enter, joinClass, newClass, password, post, type RunningApp } from '../app/running-app.ts';
import { learn, validInput, type Pool } from './generate.ts';
import type { Marks } from './marks.ts';
import { markedPicture } from './marked-picture.ts';

export type Channel =
  'HTTP' | 'socket' | 'search' | 'picture' | 'error' | 'metric' | 'log' | 'mail' | 'file';

export interface Overheard {
  marks: Marks;
  /** The output that others received. */
  heard: ReadonlyMap<Channel, string>;
  /** Requests that the server refused as invalid: the canary generated wrong input. */
  misunderstood: readonly string[];
  /** The names of all fields in the answers to each observer. */
  fields: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of the calls and types of the frames that the marked student sent. */
  used: ReadonlySet<string>;
}

/** The server's address through a separate proxy, and the address of that proxy. */
export const markedHost = '127.0.0.2';
const markedAddress = '127.0.0.77';
/** A text of the marked student: neither a file next to the database nor the log may contain it. */
export const saidText = 'Who am I?';

/** The path of a picture, whether or not it exists. */
const somePicture = '/images/AAAAAAAAAAAAAAAA.webp';

/** Calls that end something come last, and those that end the session come at the very end. */
const ending = /delete|leave|signOut|reset|revoke|changePassword|changeEmail/i;
const rank = (name: string) => Number(ending.test(name)) + Number(/signOut|Account/.test(name));
const names = (Object.keys(routes) as RouteName[]).toSorted(
  (one, other) => rank(one) - rank(other),
);

/**
 * @param app started with `markedHost` in its ALLOWED_HOSTS
 * @param onMarks called with the marks before the first request
 */
export async function useEverything(
  app: RunningApp,
  onMarks: (marks: Marks) => void = () => {},
): Promise<Overheard> {
  const heard = new Map<Channel, string>();
  const misunderstood: string[] = [];
  const used = new Set<string>();
  const hear = (channel: Channel, text: string) =>
    heard.set(channel, `${heard.get(channel) ?? ''}\n${text}`);
  const port = Number(new URL(app.origin).port);
  const line = await openLine(port);

  const secret = () => randomBytes(8).toString('hex');
  const ownMarks = {
    'e-mail': `canary${secret()}`,
    'user agent': `Agent/${secret()}`,
    'forwarded address': '203.0.113.177',
    address: markedAddress,
    'file name': `Holiday ${secret()}.png`,
    EXIF: `Camera of ${secret()}`,
  };
  const fields = new Map<string, Set<string>>();
  const listening = (who: string): Browser => ({
    userAgent: who,
    async onAnswer(response) {
      const { pathname } = new URL(response.url);
      const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
      hear(
        channelOf(pathname, response.status),
        `${JSON.stringify([...response.headers])}\n${body}`,
      );
      // The account's own values, under field names that others also receive.
      if (pathname === routes.exportAccount.path) return;
      const got = fields.get(who) ?? new Set();
      for (const [, name] of body.matchAll(/"(\w+)":/g)) got.add(name ?? '');
      fields.set(who, got);
    },
  });
  const observer = await app.newStudent('observer', listening('observer'));
  const stranger = await app.newStudent('stranger', listening('stranger'));
  const visitor = app.visitor('visitor', listening('visitor'));

  /** The first entry of the cookie that identifies the marked student's browser. */
  let knownBrowser: string | undefined;
  const marked = createStudent(
    `http://${markedHost}:${port}`,
    `${ownMarks['e-mail']}@university.edu`,
    password,
    {
      userAgent: ownMarks['user agent'],
      headers: {
        ...{ 'x-forwarded-for': ownMarks['forwarded address'], 'x-real-ip': markedAddress },
        'x-file-name': encodeURIComponent(ownMarks['file name']),
        'content-disposition': `attachment; filename="${ownMarks['file name']}"`,
      },
      async onAnswer({ headers }) {
        const [, entry] =
          /backchannel\.browser=([\w-]{26})/.exec(String(headers.getSetCookie())) ?? [];
        knownBrowser ??= entry;
      },
    },
  );
  await marked.call('signUp', { body: { email: marked.email, password } });
  const [row = {}] = await app.database.query(
    `select accounts.id as "account id", "mailboxKey" as "mailbox key", sessions.id as "session id", token as "session token"
     from accounts join sessions on "userId" = accounts.id where email = '${marked.email}'`,
  );
  const { account } = await marked.call('me', {});
  const marks = {
    ...ownMarks,
    'account key': account?.key ?? '',
    'known browser': knownBrowser ?? '',
    ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
  };

  onMarks(marks);

  const classId = await newClass(marked);
  await newClass(marked, { courseNumber: '7' });
  await joinClass(observer, classId);
  const live = await observer.connect();
  const markedLive = await marked.connect();
  const { epoch, seq } = await enter(live, classId);
  const { me } = await enter(markedLive, classId);
  const said = await post(markedLive, classId, saidText);
  const answered = await post(live, classId, 'Nobody knows');

  let rid = 1_000_000;
  const pool: Pool = new Map<string, unknown>([
    ...Object.entries({ classId, epoch, email: marked.email, password, newPassword: password }),
    ...Object.entries({ messageId: said.id, replyTo: answered.id, id: () => randomUUID() }),
    ...Object.entries({ icon: `${me.memberId}.4`, anonymousName: 'Blue Fox', key: 'default' }),
    ...Object.entries({ rid: () => ++rid, text: () => `Said at ${++rid}`, query: 'CS', page: 0 }),
    ...Object.entries({ params: 'query=CS', before: 50, after: 0, around: 1, limit: 20 }),
    ...Object.entries({ afterId: said.id.slice(0, 8), alt: 'A field', messages: 'delete' }),
    ['searchClasses', { requests: [{ indexName: 'classSearch', query: 'CS', facets: ['*'] }] }],
    ...Object.entries({
      beginClassTime: '09:00',
      endClassTime: '10:00',
      currentPassword: password,
    }),
  ]);

  async function make(who: Student, name: RouteName): Promise<void> {
    // The visitor's address is unknown, so the visitor neither gets an account nor accesses the marked
    // student's.
    pool.set('email', who === visitor ? 'nobody@elsewhere.example' : who.email);
    const { method } = routes[name];
    const schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType } =
      http[name];
    const part = (schema?: z.ZodType) => schema && (validInput(schema, pool, name) as never);
    const url = routeUrl(name, { params: part(schemas.params), query: part(schemas.query) });
    const response = await who.fetch(url, { method, ...bodyOf(method, part(schemas.body)) });
    const answer: unknown = await response.json().catch(() => null);
    const { code } = (answer ?? {}) as { code?: string };
    if (who !== marked) return;
    if (code === 'INVALID' && schemas.body)
      misunderstood.push(`${name}: ${JSON.stringify(answer)}`);
    used.add(name);
    learn(pool, answer);
    pool.set('classId', classId);
  }

  function bodyOf(method: string, json: unknown): RequestInit {
    if (json !== undefined) {
      return { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
    }
    // A write without a JSON body sends a file's bytes or nothing.
    if (method !== 'POST' && method !== 'PUT') return {};
    const body = new Uint8Array(markedPicture(ownMarks.EXIF));
    return { body, headers: { 'content-type': 'image/png' } };
  }

  /** Sends every frame of the contract once. */
  async function sendFrames(by: LiveEnd): Promise<void> {
    for (const option of clientFrame.options) {
      const { type } = option.shape;
      if (type.value === 'unsubscribe') continue;
      const target = type.value === 'react' ? answered.id : said.id;
      pool.set('messageId', target);
      pool.set('emoji', '👍');
      const frame = validInput(option, pool, type.value) as { rid?: number };
      by.sendText(JSON.stringify(frame));
      used.add(type.value);
      if (frame.rid === undefined) continue;
      const answer = await (type.value === 'subscribe'
        ? by.frame('live', (one) => one.rid === frame.rid)
        : by.answer(frame.rid));
      if (answer.type === 'nack' && answer.code === 'INVALID') misunderstood.push(type.value);
    }
  }

  const lookAround = async () => {
    for (const who of [observer, stranger, visitor]) {
      for (const name of names) {
        const joins = who === stranger && name === 'joinClass';
        if (!ending.test(name) && !joins) await make(who, name);
      }
    }
    const pictures = new Set(
      `${heard.get('HTTP')}${heard.get('socket')}`.match(/\/images\/[\w.-]+/g),
    );
    const paths = ['/metrics', '/healthz', '/readyz', '/', '/api/nope', somePicture, ...pictures];
    for (const path of paths) {
      await observer.fetch(path);
      await visitor.fetch(path);
    }
  };

  for (const name of names) if (!ending.test(name)) await make(marked, name);
  await sendFrames(markedLive);
  await enter(live, classId);
  hear('socket', JSON.stringify(live.frames));
  await lookAround();
  // Mails to another account, then answers about the marked student's address to a visitor.
  await observer.call('requestPasswordReset', { body: { email: observer.email } });
  for (const name of ['signUp', 'signIn', 'requestPasswordReset'] as const) {
    const body = { email: marked.email, password: 'not the right one' };
    await visitor.fetch(routeUrl(name, {}), { method: 'POST', ...bodyOf('POST', body) });
  }
  markedLive.sendText('{');
  const again = await marked.connect();
  await enter(again, classId);
  await post(again, classId, '');
  // Again as a replay and as a snapshot, with what happened in between.
  live.send({ type: 'subscribe', rid: ++rid, classId, epoch, after: seq });
  await live.frame('live', (frame) => frame.rid === rid);
  for (const name of names) if (ending.test(name)) await make(marked, name);
  await enter(live, classId);
  await lookAround();
  for (const name of names) if (ending.test(name)) await make(observer, name);
  hear('socket', JSON.stringify(live.frames));
  hear('log', app.logLines.join('\n'));
  hear('mail', (await mailsToOthers(app, marked.email)).join('\n'));
  hearFiles(app, (text) => hear('file', text));
  line.close();
  return { marks, heard, fields, misunderstood, used };
}

function channelOf(path: string, status: number): Channel {
  if (path === '/metrics') return 'metric';
  if (status >= 400) return 'error';
  if (path.startsWith('/1/')) return 'search';
  return path.startsWith('/images/') ? 'picture' : 'HTTP';
}

/** Mails leave after the answer, so this waits for the observer's mail. */
async function mailsToOthers(app: RunningApp, marked: string): Promise<string[]> {
  const others = () => app.mails().filter((mail) => !mail.includes(`To: ${marked}`));
  const since = Date.now();
  while (others().length === 0 && Date.now() - since < 10_000) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return others();
}

/** Every file in DATA_DIR except the database and the mails, which have separate tests. */
function hearFiles(app: RunningApp, hear: (text: string) => void): void {
  const dir = app.database.settings.DATA_DIR;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    hear(file);
    if (!entry.isFile() || /backchannel\.sqlite|[/]mail[/]/.test(file)) continue;
    hear(readFileSync(file, 'latin1'));
  }
}

/** A proxy to the server with its own address. */
async function openLine(port: number): Promise<Server> {
  const line = createServer((from) => {
    const to = connect({ port, host: '127.0.0.1', localAddress: markedAddress });
    from.pipe(to).pipe(from);
    for (const end of [from, to]) {
      end.on('error', () => {
        from.destroy();
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => line.listen(port, markedHost, resolve));
  return line;
}
