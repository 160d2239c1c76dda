// One account's socket, which says what no browser would.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { clientFrame } from '#contract/socket.ts';
import type { Random } from '../faults/random.ts';
import type { Findings } from './findings.ts';
import { spoil, spoilBytes, spoilText } from './spoil.ts';
import { valuesOf, type Json, type Known } from './valid-values.ts';

export interface Fuzzer {
  /** Sends some, waits for what comes of them, and says how many they were. */
  round(): Promise<number>;
  end(): void;
}

interface Parts {
  name: string;
  origin: string;
  cookie: string;
  random: Random;
  known: Known;
  findings: Findings;
}

const perRound = 50;
const kinds = clientFrame.options.map((option) => valuesOf(option));
/** From here on rids are those of frames that only ask whether what came before was read. */
const probes = 2 ** 40;
/** Nothing comes for this long: the server has gone deaf. */
const deafMs = 60_000;

export function createSocketFuzzer(parts: Parts): Fuzzer {
  const { name, origin, cookie, random, known, findings } = parts;
  let socket: WebSocket | null = null;
  let lastRid = 0;
  let sent = '';
  let wake = () => {};
  let heard = -1;
  let answered = 0;

  async function open(): Promise<WebSocket> {
    const opened = new WebSocket(`${origin.replace('http', 'ws')}/live`, 'backchannel.v1', {
      origin,
      headers: { cookie },
    });
    opened.on('message', (data) => {
      const text = String(data);
      findings.frame(name, text, sent);
      // Others may be answered after the probe, and before anybody looks.
      const rid = Number(/"type":"nack","rid":(\d+)/.exec(text)?.[1] ?? 0);
      if (rid >= probes) heard = rid;
      if (text.includes('"rid":')) answered += 1;
      wake();
    });
    opened.on('error', () => wake());
    opened.on('close', () => wake());
    await once(opened, 'open');
    return opened;
  }

  function draw(): string | Buffer {
    const value = random.pick(kinds)(random, known) as Record<string, Json>;
    value['rid'] = ++lastRid;
    if (random.chance(0.25)) return JSON.stringify(value);
    const spoilt = JSON.stringify(spoil(value, random)) ?? 'null';
    // What has no rid ends the socket, and a socket takes longer to open than a frame to send.
    if (random.chance(0.99)) {
      const fields = /^\{(.+)\}$/s.exec(spoilt)?.[1] ?? `"text":${spoilt}`;
      return `{${fields},"rid":${lastRid}}`;
    }
    return random.chance(0.5) ? spoilText(spoilt, random) : spoilBytes(spoilt, random);
  }

  /** Resolves when all that was sent has been read, or the socket has ended. */
  async function settled(open_: WebSocket): Promise<void> {
    const rid = probes + ++lastRid;
    open_.send(JSON.stringify({ rid }));
    const deadline = Date.now() + deafMs;
    while (heard !== rid && open_.readyState === WebSocket.OPEN) {
      if (Date.now() > deadline) {
        findings.add(`nothing is heard any more after ${sent.slice(0, 400)}`);
        open_.terminate();
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, 1000);
      });
    }
  }

  return {
    async round() {
      if (socket?.readyState !== WebSocket.OPEN) socket = await open();
      let count = 0;
      for (; count < perRound && socket.readyState === WebSocket.OPEN; count++) {
        const frame = draw();
        sent = String(frame);
        // As text also where the bytes are none.
        socket.send(frame, { binary: random.chance(0.001) });
      }
      answered = 0;
      await settled(socket);
      // What was sent after the frame that ended the socket has reached nobody.
      return socket.readyState === WebSocket.OPEN ? count : Math.min(count, answered + 1);
    },
    end: () => socket?.terminate(),
  };
}
