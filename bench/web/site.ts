// The server of `npm start` with a school in it, and students who post to its rooms over their own sockets.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { socketPath, subprotocol } from '#contract/socket-address.ts';
import { limits } from '#contract/limits.ts';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { university } from '#tests/support/university.ts';
import { connectWebSocket, type WebSocketClient } from '../chat/websocket-client.ts';
import { fillRoom } from '../fill-room.ts';
import { computePercentile } from '../percentiles.ts';
import { createSchool } from '../school.ts';
import { startBackchannel } from '../server-process.ts';

export interface SiteOptions {
  /** Messages that the first class has before the server starts. The other classes have 60. */
  messages?: number;
  /** The texts of the messages after the first 60. */
  createText?: TextOf;
  /** Creates a class with `messages` messages for each of these texts, instead of one class with `createText`. */
  rooms?: readonly TextOf[];
}

/** The text of message n, which can mention the members who have posted in the class. */
export type TextOf = (n: number, memberIds: readonly string[]) => string;

export interface Site {
  readonly origin: string;
  readonly classIds: readonly string[];
  /** The session cookie of the student whose browser is measured. */
  readonly cookie: { name: string; value: string };
  /** Another student posts a message. */
  post(classId: string): void;
  /** The other students post at an even rate, to each of the classes in turn. */
  startPosting(classIds: readonly string[], perSecond: number): Posting;
  stop(): Promise<void>;
}

export interface Posting {
  countPosts(): number;
  /** @returns what may have disturbed the figures */
  stop(): Promise<string[]>;
}

const students = 6;
const classes = 5;
const postedPerClass = 60;
/** If posts are later than this, they do not arrive at an even rate. */
const maxLatenessMs = 50;

/** A text that students write, and that names its number. */
/** The text of the oldest message of each class. */
export const firstText = 'The first message of its class';

function createText(n: number): string {
  return `Message ${n}: ${university.createMessageText(n)}`.slice(0, limits.messageText);
}

export async function startSite(options: SiteOptions = {}): Promise<Site> {
  const { messages = postedPerClass, rooms = [options.createText ?? createText] } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const removeAtExit = () => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const school = await createSchool(dataDir, students, Math.max(classes, rooms.length), {
    isMember: () => true,
    messagesPerClass: postedPerClass,
    createText: (n) => (n === 0 ? firstText : university.createMessageText(n)),
  });
  for (const [index, text] of rooms.entries()) {
    if (messages > postedPerClass) {
      await fillRoom(dataDir, school.classIds[index]!, messages - postedPerClass, text);
    }
  }
  const server = await startBackchannel({ dataDir, settings: unlimitedRates, withWeb: true });
  const [viewerCookie = '', ...otherCookies] = school.cookies;
  const sockets: WebSocketClient[] = [];
  for (const cookie of otherCookies) {
    const headers = {
      Origin: server.origin,
      Cookie: cookie,
      'Sec-WebSocket-Protocol': subprotocol,
    };
    sockets.push(await connectWebSocket(server.port, socketPath, headers, { frame() {} }));
  }
  let posts = 0;

  function post(classId: string): void {
    const rid = ++posts;
    const frame = { type: 'post', rid, classId, id: randomUUID(), text: createText(rid) };
    // Two messages of one author follow each other, so that some belong to one group.
    sockets[Math.floor(rid / 2) % sockets.length]!.send(JSON.stringify(frame));
  }

  return {
    origin: server.origin,
    classIds: school.classIds,
    cookie: parseCookie(viewerCookie),
    post,

    startPosting(classIds, perSecond) {
      let postCount = 0;
      const lateness: number[] = [];
      const stopping = new AbortController();
      const startedAt = performance.now();
      const posting = (async () => {
        while (!stopping.signal.aborted) {
          const dueAt = startedAt + (postCount * 1000) / perSecond;
          await sleep(Math.max(0, dueAt - performance.now()));
          lateness.push(performance.now() - dueAt);
          post(classIds[postCount++ % classIds.length]!);
        }
      })();
      return {
        countPosts: () => postCount,
        async stop() {
          stopping.abort();
          await posting;
          return computePercentile(lateness, 0.99) > maxLatenessMs ? ['late posts'] : [];
        },
      };
    },

    async stop() {
      for (const socket of sockets) socket.close();
      await server.stop();
      process.off('exit', removeAtExit);
      removeAtExit();
    },
  };
}

function parseCookie(header: string): Site['cookie'] {
  const [name = '', value = ''] = header.split(/=(.*)/s);
  return { name, value };
}
