// `npm run bench -- pictures` measures how uploads affect the chat. One student posts at a steady rate in four
// phases: alone, while twenty students each upload a large photograph, while they upload decompression bombs, and
// alone again.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { routeUrl } from '#contract/routes.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { university } from '#tests/support/university.ts';
import { processTree } from './processes.ts';
import { startBackchannel } from './server-process.ts';

const uploaders = 20;
const postEveryMs = 50;
const quietMs = 10_000;

const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-bench-'));
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
const server = await startBackchannel({ dataDir });

const students = await Promise.all(
  Array.from({ length: uploaders + 1 }, async (_, n) => {
    const email = `${university.createPerson(n).localPart}@university.edu`;
    const student = createTestClient(server.origin, email);
    await student.signUp();
    return student;
  }),
);
const [talker, ...others] = students as [TestClient, ...TestClient[]];
const classId = await talker.createClass();
for (const student of others) await student.join(classId);
const socket = await talker.connect();

const photograph = await makePhotograph();
const bomb = await makeBomb();
console.log('| load | for | answers | ack p50 | p99 | longest | server | picture process |');
console.log('| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |');
await measure('none, before', () => sleep(quietMs).then(() => []));
await measure(
  `${uploaders} photographs of 39 megapixels, ${megabytes(photograph.length)} each`,
  () => uploadAll(photograph),
);
await measure(`${uploaders} bombs, ${Math.round(bomb.length / 1024)} kB each`, () =>
  uploadAll(bomb),
);
await measure('none, after', () => sleep(quietMs).then(() => []));

await server.stop();
process.exit();

/** Posts at a steady rate until the act ends. */
async function measure(name: string, act: () => Promise<number[]>): Promise<void> {
  const times: number[] = [];
  const maxMegabytes = { server: 0, pictureProcess: 0 };
  let done = false;
  const started = performance.now();
  const acting = act().finally(() => {
    done = true;
  });
  for (let rid = Math.round(started) * 1000; !done; rid++) {
    const sent = performance.now();
    socket.send({ type: 'post', rid, classId, id: randomUUID(), text: 'hello' });
    await socket.waitForReply(rid);
    times.push(performance.now() - sent);
    const [main = 0, ...children] = processTree(server.pid).map(residentMegabytes);
    maxMegabytes.server = Math.max(maxMegabytes.server, main);
    maxMegabytes.pictureProcess = Math.max(maxMegabytes.pictureProcess, ...children);
    await sleep(Math.max(0, postEveryMs - (performance.now() - sent)));
  }
  const statuses = Object.entries(Object.groupBy(await acting, (status) => status))
    .map(([status, all]) => `${all?.length ?? 0} x ${status}`)
    .join(', ');
  times.sort((a, b) => a - b);
  const at = (part: number) => `${(times[Math.floor(times.length * part)] ?? 0).toFixed(1)} ms`;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const sizes = `${maxMegabytes.server} MB | ${maxMegabytes.pictureProcess} MB`;
  const longest = `${(times.at(-1) ?? 0).toFixed(1)} ms`;
  console.log(
    `| ${name} | ${seconds} s | ${statuses} | ${at(0.5)} | ${at(0.99)} | ${longest} | ${sizes} |`,
  );
}

function uploadAll(file: Uint8Array<ArrayBuffer>): Promise<number[]> {
  return Promise.all(
    others.map(async (student) => {
      const url = routeUrl('uploadImage', { params: { classId } });
      return (await student.fetch(url, { method: 'POST', body: file })).status;
    }),
  );
}

/** The resident memory that the kernel reports. */
function residentMegabytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
    return Math.round((pages * 4096) / 1e6);
  } catch {
    return 0;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A photograph with detail at every scale, padded at its end to the maximum upload size. */
async function makePhotograph(): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = new Uint8Array(900 * 675 * 3).map((_, i) => (i * 2_654_435_761) >>> 24);
  const jpeg = await sharp(pixels, { raw: { width: 900, height: 675, channels: 3 } })
    .resize({ width: 7200, height: 5400, kernel: 'cubic' })
    .jpeg({ quality: 75 })
    .toBuffer();
  const file = new Uint8Array(10 * 1024 * 1024);
  file.set(jpeg);
  return file;
}

/** A small PNG file that decodes to 40 megapixels: 16 bits, four channels, interlaced. */
async function makeBomb(): Promise<Uint8Array<ArrayBuffer>> {
  const width = 8000;
  const height = 5000;
  const small = await sharp({ create: { width: 1, height: 1, channels: 4, background: 'red' } })
    .png()
    .toBuffer();
  const header = Buffer.concat([Buffer.from('IHDR'), Buffer.alloc(13)]);
  header.writeUInt32BE(width, 4);
  header.writeUInt32BE(height, 8);
  header.set([16, 6, 0, 0, 1], 12);
  let rows = 0;
  // Each of the seven interlace passes has its own rows: a filter byte, then the pixels.
  for (const [x, y, dx, dy] of [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const) {
    rows += Math.ceil((height - y) / dy) * (1 + Math.ceil((width - x) / dx) * 8);
  }
  const body = Buffer.concat([Buffer.from('IDAT'), deflateSync(Buffer.alloc(rows), { level: 9 })]);
  const u32 = (n: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(n);
    return bytes;
  };
  const chunk = (content: Buffer) => [u32(content.length - 4), content, u32(crc32(content))];
  return Buffer.concat([
    small.subarray(0, 8),
    ...chunk(header),
    ...chunk(body),
    ...chunk(Buffer.from('IEND')),
  ]);
}
