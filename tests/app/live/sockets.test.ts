import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createClassWithTwoMembers } from '#tests/support/test-client.ts';

const app = setUpApp();
afterEach(() => vi.useRealTimers());

async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

test('the server rejects a call without an upgrade, and logs once that a proxy removed it [HTTP-46]', async () => {
  const ownApp = await startApp();
  try {
    const listWarnings = () => ownApp.logLines.filter((line) => line.includes('proxy.no-upgrade'));
    const askLive = (headers: Record<string, string>) =>
      fetch(`${ownApp.origin}/live`, { headers });

    const typedReply = await askLive({});

    expect(typedReply.status).toBe(426);
    expect(typedReply.headers.get('upgrade')).toBe('websocket');
    expect(await typedReply.json()).toEqual({
      code: 'UPGRADE_REQUIRED',
      message: 'This address accepts WebSocket connections only.',
    });
    expect(listWarnings()).toEqual([]);
    for (let n = 0; n < 2; n++) {
      expect((await askLive({ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' })).status).toBe(426);
    }
    expect(listWarnings()).toHaveLength(1);
    expect(JSON.parse(listWarnings()[0]!)).toMatchObject({
      level: 40,
      hint: expect.stringContaining('Upgrade and Connection headers') as string,
    });
  } finally {
    await ownApp.stop();
  }
});

describe('the socket', () => {
  test('the socket at /live speaks backchannel.v1, whose frames are JSON with a type [WIRE-1]', async () => {
    const ada = await app.createStudent();
    const socket = ada.openWebSocket();

    const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];

    expect(socket.protocol).toBe('backchannel.v1');
    expect(isBinary).toBe(false);
    expect(JSON.parse(String(data))).toMatchObject({ type: 'welcome' });

    socket.send(Buffer.from('{"type":"subscribe","rid":1,"classId":"AAAAAAAAAAAAAAAA"}'));
    expect(await closeCode(socket)).toBe(4002);

    const [[elsewhereReply], [unknown]] = await Promise.all([
      once(ada.openWebSocket({ url: `${app.origin}/socket` }), 'error'),
      once(ada.openWebSocket({ protocol: 'backchannel.v2' }), 'error'),
    ]);
    expect(String(elsewhereReply)).toContain('404');
    expect(String(unknown)).toContain('subprotocol');
  });

  test('the socket accepts a frame of 32 KiB and closes on a larger one [WIRE-3]', async () => {
    const ada = await app.createStudent();
    const socket = await ada.connect();
    socket.sendText(`{"rid":1}${' '.repeat(32_768 - 9)}`);

    expect(await socket.waitForReply(1)).toMatchObject({ code: 'INVALID' });

    socket.sendText(`{"rid":2}${' '.repeat(32_768 - 8)}`);
    expect(await socket.closed).toBe(1009);
  });

  test('a socket can have 64 subscriptions at most [WIRE-5]', async () => {
    const ada = await app.createStudent();
    const classIds: string[] = [];
    for (let n = 0; n < 65; n++) classIds.push(await ada.createClass());
    const socket = await ada.connect();
    for (const classId of classIds.slice(0, 64)) await socket.subscribe(classId);
    const firstClassId = classIds[0]!;
    const lastClassId = classIds[64]!;

    expect(await socket.request({ type: 'subscribe', classId: lastClassId })).toMatchObject({
      code: 'TOO_MANY_SUBSCRIPTIONS',
      message: 'One connection can follow at most 64 classes.',
    });

    socket.send({ type: 'unsubscribe', classId: firstClassId });
    await socket.subscribe(lastClassId);
  });

  test('a socket that does not read is closed with 4008, and its browser resumes from there [WIRE-6, LOG-6]', async () => {
    const { ada, ben, classId } = await createClassWithTwoMembers(app);
    const slow = await ben.connectTo(classId);
    slow.webSocket.pause();
    const socket = await ada.connect();
    // The text exceeds the system's socket buffers: three bytes per character.
    const text = '語'.repeat(4000);
    let postedCount = 0;
    while (postedCount < 1500) {
      await Promise.all(Array.from({ length: 20 }, () => socket.post(classId, text)));
      postedCount += 20;
    }

    slow.webSocket.resume();
    // A browser that does not even read the close frame is cut off soon after it.
    expect([4008, 1006]).toContain(await slow.closed);

    const returningSocket = await ben.connect();

    const snapshot = await returningSocket.subscribe(classId);

    expect(snapshot.seq).toBe(postedCount);

    await socket.post(classId, 'still here?');
    const events = await returningSocket.waitFor('events');
    expect([events.from, events.to]).toEqual([postedCount + 1, postedCount + 1]);
  });
});

test.each([
  [0, 0],
  [0.5, 5000],
  [1, 10_000],
])(
  'a stopping server asks its browsers to reconnect within 10 s [WIRE-9]',
  async (random, retryAfterMs) => {
    const socket = await (await app.createStudent()).connect();
    const chance = vi.spyOn(Math, 'random').mockReturnValue(random);
    await app.restart();
    chance.mockRestore();

    expect(await socket.waitFor('bye')).toEqual({
      type: 'bye',
      code: 1012,
      retryAfterMs: retryAfterMs,
    });
  },
);

test('the server pings every 25 s and closes a socket after two unanswered pings [WIRE-7]', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await app.restart();
  const deaf = (await app.createStudent()).openWebSocket({ autoPong: false });
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
  // A pong resets the count.
  deaf.pong();
  const echo = once(deaf, 'message');
  deaf.send('{"rid":1}');
  await echo;
  for (let missedPings = 0; missedPings < 2; missedPings++) {
    const ping = once(deaf, 'ping');
    vi.advanceTimersByTime(25_000);
    await ping;
  }
  expect(deaf.readyState).toBe(WebSocket.OPEN);

  const closing = closeCode(deaf);
  vi.advanceTimersByTime(25_000);
  expect(await closing).toBe(1006);

  vi.useRealTimers();
  await app.restart();
});
