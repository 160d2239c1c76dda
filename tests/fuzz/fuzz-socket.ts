// Sends invalid frames over one account's socket.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { clientFrame } from '#contract/socket.ts';
import type { Random } from '../faults/random.ts';
import type { Findings } from './findings.ts';
import { spoil, spoilBytes, spoilText } from './spoil.ts';
import { valuesOf, type Json, type Known } from './valid-values.ts';

export interface Fuzzer {
  /** Sends some frames, waits for the responses, and returns the number of frames. */
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
/** Rids from here on belong to probes, which check that the previous frames were read. */
const probes = 2 ** 40;
/** If nothing arrives for this long, the server no longer responds. */
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
      // Other answers may arrive after the probe's.
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
    // A frame without a rid ends the socket, and opening one takes longer than sending a frame.
    if (random.chance(0.99)) {
      const fields = /^\{(.+)\}$/s.exec(spoilt)?.[1] ?? `"text":${spoilt}`;
      return `{${fields},"rid":${lastRid}}`;
    }
    return random.chance(0.5) ? spoilText(spoilt, random) : spoilBytes(spoilt, random);
  }

  /** Resolves when the server has read every sent frame, or the socket has ended. */
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
        // Sent as text even if the bytes are not valid text.
        socket.send(frame, { binary: random.chance(0.001) });
      }
      answered = 0;
      await settled(socket);
      // The server did not read the frames after the one that ended the socket.
      return socket.readyState === WebSocket.OPEN ? count : Math.min(count, answered + 1);
    },
    end: () => socket?.terminate(),
  };
}
