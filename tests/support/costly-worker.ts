// A worker whose files name what they use up, as a decoder with a defect would.
import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { answerFiles } from '#server/base/file-worker.ts';

const blockBytes = 64 * 1024 * 1024;
const manyBlocks = 64;

/** Allocates up to 4 GB, without writing to it. */
function useMemory(): object {
  const blocks: Buffer[] = [];
  try {
    while (blocks.length < manyBlocks) blocks.push(Buffer.alloc(blockBytes));
  } catch {
    // There is no more.
  }
  return { megabytes: (blocks.length * blockBytes) / 1024 ** 2 };
}

async function useProcessor(): Promise<object> {
  await promisify(pbkdf2)('password', 'salt', 2_000_000_000, 32, 'sha256');
  return {};
}

answerFiles(async (file) => {
  const name = Buffer.from(file).toString();
  if (name === 'memory') return useMemory();
  return name === 'processor' ? useProcessor() : {};
}, 300);
