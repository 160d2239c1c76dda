// `npm run bench -- messages-search` fills a class with messages, indexes it, and searches it. Times are of this
// process: `cpu` leaves out the time that other programs took.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { http } from '../src/contract/http.ts';
import { readConfig } from '#server/config/config.ts';
import { createClass } from '#server/chat/classes/classes.ts';
import { memberOf } from '#server/chat/members/membership.ts';
import { searchMessages } from '#server/features/message-search/message-search.ts';
import { postMessage } from '#server/chat/messages/messages.ts';
import { blockLength, indexBlock } from '#server/chat/messages/word-index.ts';
import { createLog } from '#server/base/log.ts';
import { randomId } from '#server/base/random-id.ts';
import { createCommitQueue } from '#server/store/commit-queue.ts';
import { openDatabase } from '#server/store/open-database.ts';
import { emptyWal } from '#server/store/erasure/wal-checkpointer.ts';
import { summarize } from './percentiles.ts';

const batch = 200;
const vocabularySize = 30_000;
const syllables = 'a e i o u ta re ni so lu ma the ing er st con pro an de al'.split(' ');
const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)]!;

function makeWord(n: number): string {
  const length = 1 + Math.floor(Math.random() * (n < 300 ? 2 : 4));
  return Array.from({ length }, () => pick(syllables)).join('');
}

/** Word n is about n times as rare as the first one, as in natural languages. */
function wordsOfLanguage(): { words: string[]; draw: () => string } {
  const words = Array.from({ length: vocabularySize }, (_, n) => makeWord(n));
  const draw = () => words[Math.floor(vocabularySize ** Math.random()) - 1] ?? 'the';
  return { words, draw };
}

export async function benchMessagesSearch(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      messages: { type: 'string', default: '100000' },
      queries: { type: 'string', default: '500' },
      /** The URL of an empty PostgreSQL database; a SQLite file without it. */
      postgres: { type: 'string' },
    },
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
  const database = values.postgres
    ? { DATABASE_URL: values.postgres, SECRET_KEY: 'x'.repeat(32) }
    : {};
  const log = createLog(process.stderr);
  const { db, kind } = await openDatabase(
    readConfig({ DATA_DIR: dataDir, ...database }).database,
    'key',
    log,
  );
  const commits = createCommitQueue({ db, kind, log });
  const personaKey = createSecretKey(randomBytes(32));
  const accountId = randomId();
  const day = new Date(0).toISOString();
  await sql`insert into accounts (id, email, "emailVerified", name, "createdAt", "updatedAt")
    values (${accountId}, ${accountId}, ${kind === 'sqlite' ? 1 : true}, '', ${day}, ${day})`.execute(
    db,
  );
  const { classId } = await commits.write(
    (unitOfWork) =>
      createClass(unitOfWork, createSecretKey(randomBytes(32)), accountId, {
        ...{
          courseName: 'Course',
          subjectAbbreviation: 'CS',
          courseNumber: '1',
          sectionNumber: '1',
        },
        ...{ semesterSeason: 'Fall', classSchedule: ['Monday'] },
        ...{ beginClassTime: '09:00', endClassTime: '10:00' },
      }),
    'everything',
  );
  const actor = { personaKey, accountId, classId };
  const { words, draw } = wordsOfLanguage();
  const textOf = () => Array.from({ length: 3 + Math.floor(Math.random() * 18) }, draw).join(' ');

  const count = Number(values.messages);
  const posting = await cost(async () => {
    for (let done = 0; done < count; done += batch) {
      const posts = Array.from({ length: batch }, () => ({ id: randomUUID(), text: textOf() }));
      await Promise.all(
        posts.map((message) =>
          commits.write((unitOfWork) => postMessage(unitOfWork, actor, message), 'everything'),
        ),
      );
    }
  });
  const size = () => (kind === 'sqlite' ? statSync(join(dataDir, 'backchannel.sqlite')).size : 0);
  const sizeBefore = size();
  const blocks = Math.floor((count + 1) / blockLength);
  const stalls: number[] = [];
  const indexing = await cost(async () => {
    for (let block = 0; block < blocks; block++) {
      const write: typeof commits.write = async (change, scope) => {
        const startedAt = performance.now();
        const result = await commits.write(change, scope);
        stalls.push(performance.now() - startedAt);
        return result;
      };
      await indexBlock(db, write, classId, block);
    }
  });
  if (kind === 'sqlite') await emptyWal(db);
  const perMessage = (ms: number) => ((ms * 1000) / count).toFixed(1);
  console.log(`${kind}: ${count} messages, ${blocks} blocks indexed`);
  console.log(`posting:  ${perMessage(posting.cpuMs)} µs of CPU time per message`);
  console.log(
    `indexing: ${perMessage(indexing.cpuMs)} µs of CPU time per message (${Math.round((100 * indexing.cpuMs) / posting.cpuMs)} %)`,
  );
  console.log(`the commit of a block, ms: ${JSON.stringify(summarize(stalls))}`);
  console.log(
    `file: ${(sizeBefore / 1e6).toFixed(1)} MB, with the index ${(size() / 1e6).toFixed(1)} MB`,
  );

  const rare = () => words[vocabularySize - 1 - Math.floor(Math.random() * 5000)] ?? '';
  const kinds: Record<string, () => string> = {
    'a word as it is written': draw,
    'the first letter': () => draw().slice(0, 1),
    'half a word': () => draw().slice(0, 3),
    'two words, one half typed': () => `${draw()} ${draw().slice(0, 3)}`,
    'three letters': () => `${draw()[0]} ${draw()[0]} ${draw()[0]}`,
    'a rare word': rare,
    'two rare words': () => `${rare()} ${rare()}`,
    'every letter': () => 'a b c d e f g h i j k l m n o p q r s t u v w x y z',
    'a word that no one wrote': () => `zz${draw()}`,
  };
  const all: { wall: number; cpu: number }[] = [];
  const { head } = await memberOf(db, personaKey, accountId, classId);
  for (const [name, queryOf] of Object.entries(kinds)) {
    const times: { wall: number; cpu: number }[] = [];
    for (let n = 0; n < Number(values.queries); n++) {
      const query = queryOf();
      const { wallMs, cpuMs } = await cost(async () => {
        await memberOf(db, personaKey, accountId, classId);
        const page = await searchMessages(db, classId, head, {
          ...{ query, before: Number.MAX_SAFE_INTEGER, limit: 20, maxBytes: 64 * 1024 },
        });
        JSON.stringify(http.searchMessages.reply.parse(page));
      });
      times.push({ wall: wallMs, cpu: cpuMs });
    }
    report(name, times);
    all.push(...times);
  }
  report('all of these', all);
  await db.destroy();
  rmSync(dataDir, { recursive: true, force: true });
}

function report(name: string, times: readonly { wall: number; cpu: number }[]): void {
  const cpu = summarize(times.map((time) => time.cpu));
  const wall = summarize(times.map((time) => time.wall));
  console.log(
    `${name.padEnd(28)} cpu ms: p50 ${cpu.p50} p99 ${cpu.p99}   wall ms: p50 ${wall.p50} p99 ${wall.p99}`,
  );
}

async function cost(work: () => Promise<void>): Promise<{ wallMs: number; cpuMs: number }> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}
