import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { writeNow } from './write-now.ts';

const opened: { destroy(): void }[] = [];
afterEach(() => opened.splice(0).forEach((one) => one.destroy()));

/** Both ends of a loopback connection. */
async function connection(): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const theirs = connect(port, '127.0.0.1');
  const [ours] = (await once(server, 'connection')) as [Socket];
  server.close();
  opened.push(ours, theirs);
  return { ours, theirs };
}

const numbered = (n: number) => Buffer.alloc(40_000, `${n};`);

test('what the kernel takes leaves at once, the rest when there is room again, all in order', async () => {
  const { ours, theirs } = await connection();
  theirs.pause();
  const sent: Buffer[] = [];
  const write = (bytes: Buffer) => {
    sent.push(bytes);
    writeNow(ours, bytes);
  };

  write(numbered(0));
  expect(ours.bytesWritten).toBe(0);
  for (let n = 1; ours.writableLength < 1_000_000; n++) write(numbered(n));
  const before = Buffer.concat(sent).length;
  expect(ours.writableLength).toBeLessThan(before);

  const got: Buffer[] = [];
  theirs.on('data', (chunk: Buffer) => got.push(chunk));
  theirs.resume();
  await once(ours, 'drain');
  write(numbered(-1));
  ours.end();
  await once(theirs, 'end');
  expect(Buffer.concat(got).equals(Buffer.concat(sent))).toBe(true);
});

test('who has gone is found out by the stream, which says so', async () => {
  const { ours, theirs } = await connection();
  theirs.resetAndDestroy();
  const failed = once(ours, 'error');
  for (let n = 0; !ours.destroyed && n < 1000; n++) {
    writeNow(ours, numbered(n));
    await setImmediate();
  }
  expect((await failed)[0]).toMatchObject({
    syscall: expect.stringMatching(/read|write/) as string,
  });
  expect(() => writeNow(ours, numbered(0))).not.toThrow();
});
