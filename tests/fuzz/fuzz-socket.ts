// Sends invalid frames over one account's socket.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { clientFrame } from '#contract/socket.ts';
import type { Random } from '#tests/support/random.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import type { Findings } from './findings.ts';
import { corrupt, corruptBytes, corruptText } from './corrupt.ts';
import { createDraw, type Json, type KnownIds } from './valid-values.ts';

export interface Fuzzer {
  /** Sends some frames, waits for the responses, and returns the number of frames. */
  round(): Promise<number>;
  end(): void;
}

interface Dependencies {
  client: TestClient;
  random: Random;
  known: KnownIds;
  findings: Findings;
}

const perRound = 50;
const kinds = clientFrame.options.map((option) => createDraw(option));
/** Rids from here on belong to probes, which check that the previous frames were read. */
const firstProbeRid = 2 ** 40;
/** If nothing arrives for this long, the server no longer responds. */
const responseTimeoutMs = 60_000;

export function createSocketFuzzer(dependencies: Dependencies): Fuzzer {
  const { client, random, known, findings } = dependencies;
  let socket: WebSocket | null = null;
  let lastRid = 0;
  let sentText = '';
  let wake = () => {};
  let lastProbeRid = -1;
  let answerCount = 0;

  async function open(): Promise<WebSocket> {
    const webSocket = client.openWebSocket();
    webSocket.on('message', (data) => {
      const text = String(data);
      findings.frame(client.name, text, sentText);
      // Other answers may arrive after the probe's.
      const rid = Number(/"type":"nack","rid":(\d+)/.exec(text)?.[1] ?? 0);
      if (rid >= firstProbeRid) lastProbeRid = rid;
      if (text.includes('"rid":')) answerCount += 1;
      wake();
    });
    webSocket.on('error', () => wake());
    webSocket.on('close', () => wake());
    await once(webSocket, 'open');
    return webSocket;
  }

  function draw(): string | Buffer {
    const value = random.pick(kinds)(random, known) as Record<string, Json>;
    value['rid'] = ++lastRid;
    if (random.chance(0.25)) return JSON.stringify(value);
    const corrupted = JSON.stringify(corrupt(value, random)) ?? 'null';
    // A frame without a rid ends the socket, and opening one takes longer than sending a frame.
    if (random.chance(0.99)) {
      const fields = /^\{(.+)\}$/s.exec(corrupted)?.[1] ?? `"text":${corrupted}`;
      return `{${fields},"rid":${lastRid}}`;
    }
    return random.chance(0.5) ? corruptText(corrupted, random) : corruptBytes(corrupted, random);
  }

  /** Resolves when the server has read every sent frame, or the socket has ended. */
  async function waitUntilRead(webSocket: WebSocket): Promise<void> {
    const rid = firstProbeRid + ++lastRid;
    webSocket.send(JSON.stringify({ rid }));
    const deadline = Date.now() + responseTimeoutMs;
    while (lastProbeRid !== rid && webSocket.readyState === WebSocket.OPEN) {
      if (Date.now() > deadline) {
        findings.add(`no response after ${sentText.slice(0, 400)}`);
        webSocket.terminate();
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
        sentText = String(frame);
        // Sent as text even if the bytes are not valid text.
        socket.send(frame, { binary: random.chance(0.001) });
      }
      answerCount = 0;
      await waitUntilRead(socket);
      // The server did not read the frames after the one that ended the socket.
      return socket.readyState === WebSocket.OPEN ? count : Math.min(count, answerCount + 1);
    },
    end: () => socket?.terminate(),
  };
}
