/**
 * `npm run test:fuzz -- --seed N [--count 1000000 | --seconds 45]`: parses hostile texts of messages, and then sends
 * a real server input that no browser sends, from four accounts. Markup must not throw, take long, or show what was
 * not typed. The server must not exit, report an unexpected error, send anything outside the contract, or reveal one
 * account's data to another.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unlimitedRates } from '#server/config/rate-settings.ts';
import { findFreePort } from '../../scripts/find-free-port.ts';

import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { createRandom } from '#tests/support/random.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { createFindings } from './findings.ts';
import { createCallFuzzer } from './fuzz-calls.ts';
import { createSocketFuzzer } from './fuzz-socket.ts';
import { fuzzMarkup } from './markup/fuzz-markup.ts';
import { measureMemory } from '#tests/support/measure-memory.ts';
import { university } from '#tests/support/university.ts';
import { personaNames, rejectedPersonaNames } from '#tests/support/university/names.ts';
import type { KnownIds } from './valid-values.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const seed = Number(values.seed);
const maxCount = Number(values.count ?? (values.seconds ? Infinity : 1_000_000));
/** The memory that a server may gain when it receives only a few frames at a time. */
const maxGrowth = 512 * 2 ** 20;

// A fifth of the time, or one text for twenty inputs of the server.
const markup = fuzzMarkup(seed, {
  maxTexts: Math.min(maxCount / 20, 100_000),
  deadline: performance.now() + (Number(values.seconds ?? Infinity) * 1000) / 5,
});

const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-fuzz-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
const port = await findFreePort();
const origin = `http://127.0.0.1:${port}`;
const server = startProcess('node', {
  PORT: String(port),
  DATA_DIR: dataDir,
  TRUSTED_PROXIES: '1',
  ...unlimitedRates,
  // The limits are high: the counting is fuzzed, but no limit is reached.
  LIMITS: 'visits=1000000/1s',
});
process.once('exit', () => server.child.kill('SIGKILL'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await server.started();

const clients = ['ada', 'ben', 'cy', 'dan'].map((name, n) =>
  createTestClient(origin, `${name}.${university.createPerson(n).localPart}@university.edu`),
);
await Promise.all(clients.map((client) => client.signUp()));
const [ada, ben, cy] = clients as [TestClient, TestClient, TestClient];

// Ada and Ben are in one class, Cy is in another one, Dan is in none.
const shared = await ada.createClass();
await ben.join(shared);
const ownClassId = await cy.createClass({ courseName: 'Of Cy' });
const otherClassIds = await Promise.all([ada.createClass(), ben.createClass(), cy.createClass()]);
const secrets = { shared: `shared-secret-${seed}`, own: `own-secret-${seed}` };
const messageIds: string[] = [];
for (const [student, classId, secret] of [
  [ada, shared, secrets.shared],
  [ben, shared, secrets.shared],
  [cy, ownClassId, secrets.own],
] as const) {
  const socket = await student.connectTo(classId);
  for (let n = 0; n < 20; n++) messageIds.push((await socket.post(classId, `${secret} ${n}`)).id);
  socket.close();
}

const accounts = await Promise.all(
  clients.map(async (client) => {
    const { account } = await client.call('me', {});
    const token = /session_token=([^;.]+)/.exec(client.cookie())?.[1] ?? '';
    return { name: client.name, marks: [client.email, account?.key ?? '', token] };
  }),
);
const findings = createFindings((sender) => [
  ...accounts.filter(({ name }) => name !== sender).flatMap(({ marks }) => marks),
  ...(/^(ada|ben)/.test(sender) ? [] : [secrets.shared]),
  ...(sender.startsWith('cy') ? [] : [secrets.own]),
]);

const numbers = Array.from({ length: 100 }, (_, n) => n);
const words = [
  ...numbers.map(university.createMessageText),
  ...numbers.map((n) => `${university.createPerson(n).localPart}@university.edu`),
  ...numbers.map((n) => university.createClassFields(n).courseName),
  ...personaNames,
  ...rejectedPersonaNames,
  'cs',
  'Fall',
  '',
  'x y',
  '{"requests":[]}',
  'nobody@university.edu',
  'page=1&query=c',
];
const knownIds: KnownIds = {
  classIds: [shared, ownClassId, ...otherClassIds],
  messageIds: messageIds,
  words,
};
const open: KnownIds = { ...knownIds, classIds: otherClassIds };
const root = createRandom(seed);
const fuzzers = clients.flatMap((client) => {
  const { name } = client;
  const common = { client, known: knownIds, findings };
  return [
    createSocketFuzzer({ ...common, random: root.fork(`${name} socket`) }),
    createSocketFuzzer({ ...common, random: root.fork(`${name} other socket`) }),
    createCallFuzzer({ ...common, origin, open, random: root.fork(`${name} calls`) }),
  ];
});

const bytesBefore = measureMemory(server.child.pid);
let peak = bytesBefore;
let sentCount = 0;
const began = performance.now();
const deadline = began + Number(values.seconds ?? Infinity) * 1000;
const sampling = setInterval(() => (peak = Math.max(peak, measureMemory(server.child.pid))), 500);
const progress = setInterval(() => console.log(`  ${sentCount} sent`), 30_000);
await Promise.all(
  fuzzers.map(async (fuzzer) => {
    while (sentCount < maxCount && performance.now() < deadline && findings.list.length < 20) {
      try {
        // Not in one expression: the value changes during the await.
        const done = await fuzzer.round();
        sentCount += done;
      } catch (error) {
        findings.add(`no client can connect: ${String(error)}`);
        break;
      }
    }
    fuzzer.end();
  }),
);
clearInterval(sampling);
clearInterval(progress);
const seconds = (performance.now() - began) / 1000;

await checkHealth();
for (const line of server.output().split('\n')) {
  if (/"level":(50|60)/.test(line) || /uncaught|unhandled|warning/i.test(line)) {
    findings.add(`logged: ${line}`);
  }
  const mark = accounts.flatMap(({ marks }) => marks).find((candidate) => line.includes(candidate));
  if (mark) findings.add(`the log names "${mark}": ${line}`);
}
if (peak - bytesBefore > maxGrowth) {
  findings.add(`memory grew by ${toMebibytes(peak - bytesBefore)} MiB`);
}
server.child.kill('SIGTERM');
const code = await server.ended;
if (code !== 0) {
  console.log(`  the server ended with ${String(code)}: ${server.output().slice(-2000)}`);
}

for (const fault of markup.faults) findings.add(fault);
for (const finding of findings.list) console.log(`  ${finding}`);
const answers = [...findings.seen]
  .toSorted(([, a], [, b]) => b - a)
  .map(([kind, n]) => `${n} ${kind}`);
console.log(
  `seed ${seed} · ${markup.texts} texts with up to ${markup.maxElements} elements, each parsed within ${markup.maxCpuMs.toFixed(0)} ms`,
);
console.log(
  `seed ${seed} · ${sentCount} frames and requests in ${seconds.toFixed(0)} s · memory +${toMebibytes(peak - bytesBefore)} MiB`,
);
console.log(`answers: ${answers.join(', ')}`);
const failed = findings.list.length > 0 || code !== 0;
console.log(`${failed ? 0 : 1} passed, ${failed ? 1 : 0} failed, 0 skipped`);
process.exit(failed ? 1 : 0);

/** The input damaged nothing: the room is unchanged and still works. */
async function checkHealth(): Promise<void> {
  try {
    if ((await fetch(`${origin}/readyz`)).status !== 200) findings.add('the server is not ready');
    const socket = await ben.connect();
    const { messages } = await socket.subscribe(shared);
    if (!messages.length) findings.add('the room is empty');
    const answer = await socket.post(shared, 'still here');
    if (answer.type !== 'ack') {
      findings.add(`a message is not acknowledged: ${JSON.stringify(answer)}`);
    }
    socket.close();
  } catch (error) {
    findings.add(`the server does not answer: ${String(error)}`);
  }
}

function toMebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
