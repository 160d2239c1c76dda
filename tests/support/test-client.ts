// One student without a browser: the same calls, the same socket, the same cookies. The tests, the benchmarks and
// the demo use it.
import { randomUUID } from 'node:crypto';
import { WebSocket, type ClientOptions as WebSocketOptions } from 'ws';
import type { ClassFields } from '#contract/class-fields.ts';
import { toRouteUrl, routes, type RouteName } from '#contract/routes.ts';
import type { CallInput, CallReply } from '#contract/http.ts';
import { AppError, type ErrorBody } from '#contract/errors.ts';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { createTestSocket, type Reply, type Snapshot, type TestSocket } from './test-socket.ts';
import { university } from './university.ts';

export interface TestClient {
  /** The origin of the pages that this student sees. */
  readonly origin: string;
  /** The part of the address before the @, in lower case. */
  readonly name: string;
  /** The address in lower case, as the server stores it. The student types the given spelling. */
  readonly email: string;
  readonly password: string;
  /** @throws {AppError} */
  call<Name extends RouteName>(name: Name, input: CallInput<Name>): Promise<CallReply<Name>>;
  /** Sends any request with this student's cookies and the origin of our own pages. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The `Cookie` header. */
  cookie(): string;
  /** @param entry a `Set-Cookie` header */
  keepCookie(entry: string): void;
  signUp(): Promise<CallReply<'signUp'>>;
  signIn(password?: string): Promise<CallReply<'signIn'>>;
  /** Creates a class and returns its id. */
  createClass(fields?: Partial<ClassFields>): Promise<string>;
  join(classId: string): Promise<CallReply<'joinClass'>>;
  leave(classId: string): Promise<CallReply<'leaveClass'>>;
  /** Another browser of the same student, signed out. */
  newBrowser(options?: ClientOptions): TestClient;
  /** Connects and resolves after the welcome. */
  connect(options?: ConnectOptions): Promise<TestSocket>;
  /** Connects and subscribes to the class. */
  connectTo(classId: string): Promise<TestSocket>;
  /** Starts to connect and returns the socket of the library, for tests of raw frames. */
  openWebSocket(options?: ConnectOptions): WebSocket;
  /** The room's snapshot, through a separate connection. */
  snapshot(classId: string): Promise<Snapshot>;
  /** Posts through a separate connection. */
  post(classId: string, text: string, id?: string): Promise<Reply & { id: string }>;
}

export interface ConnectOptions extends WebSocketOptions {
  /** The address to connect to, such as a slow proxy (default: the server's). */
  url?: string;
  protocol?: string;
}

export interface ClientOptions {
  password?: string;
  userAgent?: string;
  /** The `Cookie` header of a browser that is signed in, to go on with its session. */
  cookie?: string;
  /** Headers that are sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Called with every response. */
  onResponse?(response: Response): void | Promise<void>;
}

export const password = 'correct horse battery';

export const someClass: ClassFields = university.createClassFields(0);

/** @param origin the server's own, such as http://127.0.0.1:3000 */
export function createTestClient(
  origin: string,
  typedEmail: string,
  options: ClientOptions = {},
): TestClient {
  const { userAgent = 'student', headers: extraHeaders = {}, onResponse } = options;
  const { password: ownPassword = password } = options;
  const email = typedEmail.toLowerCase();
  const cookies = new Map<string, string>();
  for (const [, name = '', value = ''] of (options.cookie ?? '').matchAll(/([^=; ]+)=([^;]*)/g)) {
    cookies.set(name, value);
  }
  const formatCookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const createHeaders = () => ({
    ...extraHeaders,
    cookie: formatCookie(),
    'user-agent': userAgent,
  });

  const client: TestClient = {
    origin,
    name: email.split('@')[0] ?? '',
    email,
    password: ownPassword,
    cookie: formatCookie,
    keepCookie(entry) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(entry) ?? [];
      if (name && value) cookies.set(name, value);
      else if (name) cookies.delete(name);
    },
    async fetch(path, init = {}) {
      const headers = new Headers({ ...createHeaders(), origin });
      new Headers(init.headers).forEach((value, name) => headers.set(name, value));
      const response = await fetch(new URL(path, origin), { ...init, headers });
      await onResponse?.(response.clone());
      for (const entry of response.headers.getSetCookie()) client.keepCookie(entry);
      return response;
    },
    async call(name, input) {
      const { body, ...parts }: { body?: unknown } = input;
      const response = await client.fetch(toRouteUrl(name, parts), {
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
    signUp: () => client.call('signUp', { body: { email: typedEmail, password: ownPassword } }),
    signIn: (chosenPassword = ownPassword) =>
      client.call('signIn', { body: { email: typedEmail, password: chosenPassword } }),
    async createClass(fields = {}) {
      const reply = await client.call('createClass', { body: { ...someClass, ...fields } });
      return reply.class.classId;
    },
    join: (classId) => client.call('joinClass', { params: { classId } }),
    leave: (classId) => client.call('leaveClass', { params: { classId } }),
    openWebSocket({ url, protocol = subprotocol, ...socketOptions } = {}) {
      return new WebSocket(url ?? `${origin.replace('http', 'ws')}${socketPath}`, protocol, {
        origin,
        headers: { ...createHeaders(), host: new URL(origin).host },
        ...socketOptions,
      });
    },
    async connect(connectOptions) {
      const socket = createTestSocket(client.openWebSocket(connectOptions));
      await socket.waitFor('welcome');
      return socket;
    },
    newBrowser: (changes = {}) =>
      createTestClient(origin, typedEmail, { password: ownPassword, ...changes }),
    async connectTo(classId) {
      const socket = await client.connect();
      await socket.subscribe(classId);
      return socket;
    },
    async snapshot(classId) {
      const socket = await client.connect();
      const snapshot = await socket.subscribe(classId);
      socket.close();
      return snapshot;
    },
    async post(classId, text, id = randomUUID()) {
      const socket = await client.connect();
      const reply = await socket.post(classId, text, id);
      socket.close();
      return reply;
    },
  };
  return client;
}

/** Two students in one class: Ada created it, Ben joined it. */
export async function createClassWithTwoMembers(site: { createStudent(): Promise<TestClient> }) {
  const ada = await site.createStudent();
  const ben = await site.createStudent();
  const classId = await ada.createClass();
  await ben.join(classId);
  return { ada, ben, classId };
}
