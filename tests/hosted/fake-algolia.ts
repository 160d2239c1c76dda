// A hosted application on loopback, written from Algolia's documentation: the write calls, the search call,
// and network faults.
import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerQuery, type FakeRecord, type Parameters } from './fake-query.ts';

const searchKey = 'a-key-that-may-only-search';
const writeKey = 'a-key-that-may-write-everything';

/** What happens to the next write call that matches `of`. Without `of` every call matches. */
type Fault = { matches?: (body: string) => boolean } & (
  | { kind: 'status'; status: number }
  /** The call never gets an answer. */
  | { kind: 'silence' }
  /** The call never arrives. */
  | { kind: 'dropped' }
  /** The call takes effect, and its answer is lost. */
  | { kind: 'lost' }
);

interface Index {
  records: Map<string, FakeRecord>;
  settings: Record<string, unknown>;
}

export interface FakeAlgolia {
  readonly port: number;
  /** Changes for each fake, so that a late client of an earlier one is rejected. */
  readonly applicationId: string;
  /** The settings that make a server use it. */
  readonly serverSettings: Readonly<Record<string, string>>;
  records(index?: string): FakeRecord[];
  settings(index?: string): Record<string, unknown>;
  /**
   * All write calls in the order of their effect: `batch classSearch`, `move classSearch_tmp_1 classSearch`.
   */
  readonly done: string[];
  /** The bodies of all write calls, with or without effect. */
  readonly bodies: string[];
  fail(...faults: Fault[]): void;
  /** The status for write calls while it is not null. */
  downStatus: number | null;
  /** Runs once, after a batch takes effect and before its answer. */
  beforeAnswer: (() => Promise<unknown>) | null;
  /** Runs once, before a temporary index replaces another. */
  beforeMove: (() => Promise<unknown>) | null;
  /** How many of the next queries report an expired key. */
  expired: number;
  queries: string[];
  put(record: FakeRecord): void;
  stop(): Promise<void>;
}

const main = 'classSearch';

export async function startFakeAlgolia(): Promise<FakeAlgolia> {
  const applicationId = `TEST${randomBytes(3).toString('hex').toUpperCase()}`;
  const indices = new Map<string, Index>();
  const faults: Fault[] = [];
  /** How often each task was polled. A task is done at the second poll. */
  const requestCounts = new Map<string, number>();
  let tasks = 0;

  function getIndex(name: string): Index {
    const index = indices.get(name) ?? { records: new Map(), settings: {} };
    indices.set(name, index);
    return index;
  }

  async function write(method: string, path: string[], body: string): Promise<object> {
    const [name = '', call = ''] = path;
    const parameters = JSON.parse(body || '{}') as Record<string, unknown>;
    if (call === 'batch') {
      const { records } = getIndex(name);
      for (const { action, body: record } of parameters['requests'] as Change[]) {
        if (action === 'deleteObject') records.delete(record.objectID);
        else if (action === 'updateObject' || action === 'addObject') {
          records.set(record.objectID, record);
        } else throw new Error(`Nobody should send ${action}.`);
      }
      fake.done.push(`batch ${name}`);
      const { beforeAnswer } = fake;
      fake.beforeAnswer = null;
      await beforeAnswer?.();
    } else if (call === 'settings' && method === 'PUT') {
      Object.assign(getIndex(name).settings, parameters);
      fake.done.push(`settings ${name}`);
    } else if (call === 'operation') {
      const { operation, destination, scope } = parameters as Record<string, string | undefined>;
      const { beforeMove } = fake;
      if (operation === 'move') fake.beforeMove = null;
      if (operation === 'move') await beforeMove?.();
      const from = indices.get(name);
      // A repeated call finds no temporary index.
      if (!from) {
        tasks += 1;
        return { taskID: tasks };
      }
      if (operation === 'copy' && scope) {
        getIndex(destination!).settings = { ...from.settings };
      } else if (operation === 'move') {
        indices.set(destination!, from);
        indices.delete(name);
      }
      fake.done.push(`${operation} ${name} ${destination}`);
    } else throw new Error(`Nobody should call ${method} ${path.join('/')}.`);
    tasks += 1;
    return { taskID: tasks, updatedAt: new Date().toISOString(), objectIDs: [] };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://edge');
    const body = await text(request);
    const answer = (status: number, json: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    const getHeader = (name: string) => request.headers[name] ?? url.searchParams.get(name);
    const key = String(getHeader('x-algolia-api-key'));
    const errorBody = { message: 'Invalid Application-ID or API key', status: 403 };
    if (getHeader('x-algolia-application-id') !== applicationId) return answer(403, errorBody);
    const path = url.pathname.split('/').slice(3).map(decodeURIComponent);

    if (url.pathname === '/1/indexes/*/queries') {
      if (!maySearch(key) || fake.expired-- > 0) {
        return answer(403, {
          message: 'validUntil parameter expired (less than current date)',
          status: 403,
        });
      }
      const { requests } = JSON.parse(body) as { requests: Parameters[] };
      fake.queries.push(...requests.map(({ query = '' }) => query));
      const listRecords = (name: string) => [...getIndex(name).records.values()];
      return answer(200, {
        results: requests.map((query) => answerQuery(listRecords(query.indexName), query)),
      });
    }
    if (key !== writeKey) return answer(403, errorBody);
    if (path[1] === 'task') {
      const times = (requestCounts.get(path[2]!) ?? 0) + 1;
      requestCounts.set(path[2]!, times);
      return answer(200, { status: times > 1 ? 'published' : 'notPublished' });
    }

    fake.bodies.push(body);
    if (fake.downStatus !== null) {
      return answer(fake.downStatus, { message: 'Down', status: fake.downStatus });
    }
    const faultIndex = faults.findIndex(({ matches }) => !matches || matches(body));
    const [fault] = faultIndex < 0 ? [] : faults.splice(faultIndex, 1);
    if (fault?.kind === 'status') {
      return answer(fault.status, { message: 'No.', status: fault.status });
    }
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'dropped') return void request.socket.destroy();
    const result = await write(request.method ?? '', path, body);
    if (fault?.kind === 'lost') return void request.socket.destroy();
    answer(200, result);
  }

  const server = createServer((request, response) => {
    void handle(request, response).catch((error: unknown) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: String(error), status: 400 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const fake: FakeAlgolia = {
    port: (server.address() as AddressInfo).port,
    applicationId,
    serverSettings: {
      ALGOLIA_APP_ID: applicationId,
      ALGOLIA_SEARCH_KEY: searchKey,
      ALGOLIA_WRITE_KEY: writeKey,
    },
    records: (name = main) => [...(indices.get(name)?.records.values() ?? [])],
    settings: (name = main) => indices.get(name)?.settings ?? {},
    done: [],
    bodies: [],
    fail: (...newFaults) => void faults.push(...newFaults),
    downStatus: null,
    beforeAnswer: null,
    beforeMove: null,
    expired: 0,
    queries: [],
    put: (record) => void getIndex(main).records.set(record.objectID, record),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

interface Change {
  action: string;
  body: FakeRecord;
}

/** Accepts the key itself, or a derived key that is not expired and is limited to this index. */
function maySearch(key: string): boolean {
  if (key === searchKey) return true;
  const plain = Buffer.from(key, 'base64').toString();
  const signature = plain.slice(0, 64);
  const restrictions = plain.slice(64);
  const expectedSignature = createHmac('sha256', searchKey).update(restrictions).digest('hex');
  const parameters = new URLSearchParams(restrictions);
  return (
    signature === expectedSignature &&
    parameters.get('restrictIndices') === main &&
    Number(parameters.get('validUntil')) * 1000 > Date.now()
  );
}
