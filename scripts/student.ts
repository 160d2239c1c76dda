// A client of the server without a browser: the same calls, the same socket, one cookie. The demo and the
// tests use it.
import { WebSocket } from 'ws';
import { routeUrl } from '#contract/route-url.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { CallInput, CallReply } from '#contract/http.ts';
import { AppError, type ErrorBody } from '#contract/errors.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';

export interface Student {
  readonly email: string;
  readonly password: string;
  /** @throws {AppError} */
  call<Name extends RouteName>(name: Name, input: CallInput<Name>): Promise<CallReply<Name>>;
  /** Sends any request with this student's cookie and the origin of our own pages. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  connect(): Promise<LiveEnd>;
}

export interface LiveEnd {
  /** All received frames, in order. */
  readonly frames: readonly ServerFrame[];
  send(frame: ClientFrame): void;
  sendText(text: string): void;
  /** The first frame that matches the test, already received or future. */
  frame<Type extends ServerFrame['type']>(
    type: Type,
    test?: (frame: Extract<ServerFrame, { type: Type }>) => boolean,
  ): Promise<Extract<ServerFrame, { type: Type }>>;
  /** The ack or nack of the frame with this rid. */
  answer(rid: number): Promise<Extract<ServerFrame, { type: 'ack' | 'nack' }>>;
  /** The close code, once the socket has closed. */
  readonly closed: Promise<number>;
  close(): void;
}

const frameWithinMs = 5000;

export interface Browser {
  userAgent: string;
  /** Headers that are sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Called with every response to this student. */
  onAnswer(response: Response): Promise<void>;
}

/** @param origin the server's own, such as http://127.0.0.1:3000 */
export function createStudent(
  origin: string,
  email: string,
  password: string,
  { userAgent, headers: always = {}, onAnswer }: Browser = {
    userAgent: 'student',
    onAnswer: async () => {},
  },
): Student {
  const cookies = new Map<string, string>();
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  async function fetchAsStudent(path: string, init: RequestInit = {}): Promise<Response> {
    const own = { origin, cookie: cookieHeader(), 'user-agent': userAgent };
    const headers = new Headers({ ...always, ...own });
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    const response = await fetch(new URL(path, origin), { ...init, headers });
    await onAnswer(response.clone());
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name && value) cookies.set(name, value);
      else if (name) cookies.delete(name);
    }
    return response;
  }

  return {
    email,
    password,
    fetch: fetchAsStudent,
    async call(name, input) {
      const { body, ...parts }: { body?: unknown } = input;
      const response = await fetchAsStudent(routeUrl(name, parts), {
        method: routes[name].method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      if (!response.ok) {
        const { code, message } = (await response.json()) as ErrorBody;
        throw new AppError(code, message);
      }
      return (await response.json()) as never;
    },
    async connect() {
      const url = new URL(socketPath, origin.replace('http', 'ws'));
      const headers = { ...always, cookie: cookieHeader(), 'user-agent': userAgent };
      const live = createLiveEnd(new WebSocket(url, subprotocol, { origin, headers }));
      await live.frame('welcome');
      return live;
    },
  };
}

function createLiveEnd(socket: WebSocket): LiveEnd {
  const frames: ServerFrame[] = [];
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of [...waiting]) wake();
  };
  let failure: Error | null = null;
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)) as ServerFrame);
    wakeAll();
  });
  socket.on('error', (error) => {
    failure = error;
    wakeAll();
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (code) => {
      failure ??= new Error(`The socket ended with ${code}.`);
      resolve(code);
      wakeAll();
    });
  });

  function first<Wanted extends ServerFrame>(
    name: string,
    wanted: (frame: ServerFrame) => frame is Wanted,
  ): Promise<Wanted> {
    return new Promise((resolve, reject) => {
      let tooLate: Error | null = null;
      const timer = setTimeout(() => {
        tooLate = new Error(`No ${name} came.`);
        look();
      }, frameWithinMs);
      function look(): void {
        const found = frames.find(wanted);
        const reason = tooLate ?? failure;
        if (!found && !reason) return;
        clearTimeout(timer);
        waiting.delete(look);
        if (found) resolve(found);
        else reject(reason ?? new Error('It cannot come any more.'));
      }
      waiting.add(look);
      look();
    });
  }

  return {
    frames,
    closed,
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendText: (text) => socket.send(text),
    close: () => socket.close(),
    frame(type, test = () => true) {
      type Wanted = Extract<ServerFrame, { type: typeof type }>;
      return first(`${type} frame`, (frame): frame is Wanted => {
        return frame.type === type && test(frame as Wanted);
      });
    },
    answer(rid) {
      type Answer = Extract<ServerFrame, { type: 'ack' | 'nack' }>;
      return first(`answer to ${rid}`, (frame): frame is Answer => {
        return (frame.type === 'ack' || frame.type === 'nack') && frame.rid === rid;
      });
    },
  };
}
