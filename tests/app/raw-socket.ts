// A browser's end of /live without automatic replies: it answers pings and closes only if the test says so.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerFrame } from '#contract/socket.ts';
import type { Student } from '../../scripts/student.ts';

export interface RawSocket {
  readonly stream: Socket;
  readonly frames: readonly ServerFrame[];
  /** The size in bytes of each frame, in the same order. */
  readonly sizes: readonly number[];
  /** If true, it answers pings automatically, as browsers do. */
  pongs: boolean;
  send(frame: object): void;
  sendPong(): void;
  /** Resolves when the test returns true for the frames so far. */
  until(test: () => boolean): Promise<void>;
}

/** Signs the student in and returns the session cookie. */
export async function cookieOf(student: Student): Promise<string> {
  const signIn = await student.fetch('/api/auth/sign-in/email', {
    method: 'POST',
    body: JSON.stringify({ email: student.email, password: student.password }),
  });
  return signIn.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** @param connectTo the address to connect to, such as a slow proxy (default: the server) */
export async function openRawSocket(
  origin: string,
  cookie: string,
  connectTo = origin,
): Promise<RawSocket> {
  const { hostname, port } = new URL(connectTo);
  const upgrade = request({
    hostname,
    port,
    path: '/live',
    headers: {
      host: new URL(origin).host,
      origin,
      cookie,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': 'backchannel.v1',
    },
  });
  upgrade.end();
  const [, stream, head] = (await once(upgrade, 'upgrade')) as [IncomingMessage, Socket, Buffer];
  stream.on('error', () => {});
  const frames: ServerFrame[] = [];
  const sizes: number[] = [];
  const changed = new Set<() => void>();
  let rest = head;
  const raw = {
    stream,
    frames,
    sizes,
    pongs: false,
    send: (frame: object) => write(1, Buffer.from(JSON.stringify(frame))),
    sendPong: () => write(10, Buffer.alloc(0)),
    until: (test: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!test()) return;
          changed.delete(look);
          resolve();
        };
        changed.add(look);
        look();
      }),
  };

  /** The mask is zero, so the payload is unchanged. */
  function write(opcode: number, data: Buffer): void {
    const { length } = data;
    const size = length < 126 ? [128 | length] : [254, length >> 8, length & 255];
    stream.write(Buffer.concat([Buffer.from([128 | opcode, ...size, 0, 0, 0, 0]), data]));
  }

  function read(chunk: Buffer): void {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 2) return;
      const short = rest[1]! & 127;
      const header = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (rest.length < header) return;
      const length =
        short === 127
          ? Number(rest.readBigUInt64BE(2))
          : short === 126
            ? rest.readUInt16BE(2)
            : short;
      if (rest.length < header + length) return;
      const [opcode, data] = [rest[0]! & 15, rest.subarray(header, header + length)];
      rest = rest.subarray(header + length);
      if (opcode === 9 && raw.pongs) write(10, data);
      if (opcode !== 1) continue;
      frames.push(JSON.parse(String(data)) as ServerFrame);
      sizes.push(length);
      for (const look of [...changed]) look();
    }
  }

  stream.on('data', read);
  read(Buffer.alloc(0));
  return raw;
}
