import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Student } from '../../scripts/student.ts';
import { ask, enter, joinClass, newClass, post, startApp, type RunningApp } from './running-app.ts';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
afterEach(() => vi.useRealTimers());

/** Opens a socket with parameters that no client of ours uses. */
async function openRaw(student: Student, path = '/live', protocol = 'backchannel.v1') {
  const signIn = await student.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    body: JSON.stringify({ email: student.email, password: student.password }),
  });
  const cookie = signIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const url = `${app.origin.replace('http', 'ws')}${path}`;
  return new WebSocket(url, protocol, { origin: app.origin, headers: { cookie }, autoPong: false });
}

async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

test('the server refuses a call without an upgrade, and logs once that a proxy removed it [HTTP-46]', async () => {
  const own = await startApp();
  try {
    const logged = () => own.logLines.filter((line) => line.includes('proxy.no-upgrade'));
    const askLive = (headers: Record<string, string>) => fetch(`${own.origin}/live`, { headers });
    const typed = await askLive({});
    expect(typed.status).toBe(426);
    expect(typed.headers.get('upgrade')).toBe('websocket');
    expect(await typed.json()).toEqual({
      code: 'UPGRADE_REQUIRED',
      message: 'This address accepts WebSocket connections only.',
    });
    expect(logged()).toEqual([]);
    for (let n = 0; n < 2; n++) {
      expect((await askLive({ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' })).status).toBe(426);
    }
    expect(logged()).toHaveLength(1);
    expect(JSON.parse(logged()[0]!)).toMatchObject({
      level: 40,
      hint: expect.stringContaining('Upgrade and Connection headers') as string,
    });
  } finally {
    await own.stop();
  }
});

describe('the socket', () => {
  test('is /live with backchannel.v1, and its text frames are JSON with a type [WIRE-1]', async () => {
    const ada = await app.newStudent();
    const socket = await openRaw(ada);
    const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
    expect(socket.protocol).toBe('backchannel.v1');
    expect(isBinary).toBe(false);
    expect(JSON.parse(String(data))).toMatchObject({ type: 'welcome' });
    socket.send(Buffer.from('{"type":"subscribe","rid":1,"classId":"AAAAAAAAAAAAAAAA"}'));
    expect(await closeCode(socket)).toBe(4002);

    const [[elsewhere], [unknown]] = await Promise.all([
      once(await openRaw(ada, '/socket'), 'error'),
      once(await openRaw(ada, '/live', 'backchannel.v2'), 'error'),
    ]);
    expect(String(elsewhere)).toContain('404');
    expect(String(unknown)).toContain('subprotocol');
  });

  test('accepts a frame of 32 KiB and closes on a larger one [WIRE-3]', async () => {
    const ada = await app.newStudent();
    const live = await ada.connect();
    live.sendText(`{"rid":1}${' '.repeat(32_768 - 9)}`);
    expect(await live.answer(1)).toMatchObject({ code: 'INVALID' });
    live.sendText(`{"rid":2}${' '.repeat(32_768 - 8)}`);
    expect(await live.closed).toBe(1009);
  });

  test('allows 64 subscriptions, and another one only after an unsubscribe [WIRE-5]', async () => {
    const ada = await app.newStudent();
    const classIds: string[] = [];
    for (let n = 0; n < 65; n++) classIds.push(await newClass(ada));
    const live = await ada.connect();
    for (const classId of classIds.slice(0, 64)) await enter(live, classId);
    const [first, last] = [classIds[0]!, classIds[64]!];
    expect(await ask(live, { type: 'subscribe', classId: last })).toMatchObject({
      code: 'TOO_MANY_SUBSCRIPTIONS',
      message: 'One connection can follow at most 64 classes.',
    });
    live.send({ type: 'unsubscribe', classId: first });
    await enter(live, last);
  });

  test('that does not read what the room sends is closed with 4008, and its browser resumes from there [WIRE-6, LOG-6]', async () => {
    const [ada, ben] = [await app.newStudent(), await app.newStudent()];
    const classId = await newClass(ada);
    await joinClass(ben, classId);
    const slow = await openRaw(ben);
    await once(slow, 'message');
    slow.send(JSON.stringify({ type: 'subscribe', rid: 1, classId }));
    await once(slow, 'message');
    const closed = closeCode(slow);
    slow.pause();
    const live = await ada.connect();
    // The text exceeds the system's socket buffers: three bytes per character.
    const text = '語'.repeat(4000);
    let said = 0;
    while (said < 1500) {
      await Promise.all(Array.from({ length: 20 }, () => post(live, classId, text)));
      said += 20;
    }
    slow.resume();
    // A browser that does not even read the close frame is cut off soon after it.
    expect([4008, 1006]).toContain(await closed);

    const back = await ben.connect();
    const snapshot = await enter(back, classId);
    expect(snapshot.seq).toBe(said);
    await post(live, classId, 'still here?');
    const events = await back.frame('events');
    expect([events.from, events.to]).toEqual([said + 1, said + 1]);
  });
});

test.each([
  [0, 0],
  [0.5, 5000],
  [1, 10_000],
])(
  'when it stops, the server asks its browsers to reconnect within 10 s [WIRE-9]',
  async (random, later) => {
    const live = await (await app.newStudent()).connect();
    const chance = vi.spyOn(Math, 'random').mockReturnValue(random);
    await app.restart();
    chance.mockRestore();
    expect(await live.frame('bye')).toEqual({ type: 'bye', code: 1012, retryAfterMs: later });
  },
);

test('the server pings every 25 s and closes a socket after two unanswered pings [WIRE-7]', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await app.restart();
  const deaf = await openRaw(await app.newStudent());
  await once(deaf, 'message');
  let pings = 0;
  deaf.on('ping', () => pings++);

  const firstPing = once(deaf, 'ping');
  vi.advanceTimersByTime(24_999);
  expect(pings).toBe(0);
  vi.advanceTimersByTime(1);
  await firstPing;
  const secondPing = once(deaf, 'ping');
  vi.advanceTimersByTime(25_000);
  await secondPing;
  // An answer resets the count.
  deaf.pong();
  const echo = once(deaf, 'message');
  deaf.send('{"rid":1}');
  await echo;
  for (let missed = 0; missed < 2; missed++) {
    const ping = once(deaf, 'ping');
    vi.advanceTimersByTime(25_000);
    await ping;
  }
  expect(deaf.readyState).toBe(WebSocket.OPEN);
  const closed = closeCode(deaf);
  vi.advanceTimersByTime(25_000);
  expect(await closed).toBe(1006);
  vi.useRealTimers();
  await app.restart();
});
