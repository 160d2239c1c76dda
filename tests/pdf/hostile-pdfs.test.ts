// PDFs that attack the renderer end with an error, and the next PDF is processed.
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { noSandbox } from '#server/base/file-worker.ts';
import { createPdfProcessor } from '#server/pictures/pdf/pdf-processor.ts';
import { createLog } from '#server/base/log.ts';
import { createEndlessPdf, createHostilePdfs } from '#tests/support/hostile-pdfs.ts';
import { createMarkedPdf } from '#tests/support/marked-pdf.ts';
import { listWorkerProcesses } from '#tests/support/processes.ts';
import { createOnePage } from '#tests/support/pdf-files.ts';
import { createRandom } from '#tests/support/random.ts';

const lines: string[] = [];
const processor = createPdfProcessor(
  createLog({ write: (line) => lines.push(line) }),
  Promise.resolve(noSandbox),
  { isUsedUp: () => false, add() {} },
);
const never = new AbortController().signal;
afterEach(() => void vi.useRealTimers());
afterAll(() => processor.stop());

const answerTo = (file: Uint8Array, signal = never) =>
  processor.process('mallory', file, signal).then(
    ({ pages }) => (pages === 1 ? 'drawn' : `${pages} pages`),
    (error: unknown) => (error as AppError).code,
  );

const harmless = createOnePage({ content: '0 0 9 9 re f' });

test.each(Object.entries(createHostilePdfs()))(
  'the server answers a hostile PDF as expected: %s [PDF-9, PDF-10]',
  async (_, { file, answer }) => {
    expect(await answerTo(file)).toBe(answer);
  },
);

test('a PDF is abandoned after two minutes, and the next one is processed [PDF-9]', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const endless = answerTo(createEndlessPdf());
  const next = answerTo(harmless);

  await vi.advanceTimersByTimeAsync(120_000);

  expect(await endless).toBe('PDF_TOO_COMPLEX');
  expect(lines.join('')).toContain('pdf.too-slow');
  expect(await next).toBe('drawn');
});

test('the process of a PDF ends when its sender gives up [PDF-9]', async () => {
  const poll = { timeout: 30_000 };
  const listProcesses = () => listWorkerProcesses('pdf-worker');
  const controllers = [new AbortController(), new AbortController()];
  const answers = controllers.map(({ signal }) => answerTo(createEndlessPdf(), signal));

  await expect.poll(() => listProcesses().map(({ niceness }) => niceness), poll).toEqual([10]);

  const [first] = listProcesses();
  controllers[0]!.abort();
  expect(await answers[0]).toBe('INVALID');
  await expect
    .poll(() => listProcesses().filter(({ pid }) => pid !== first!.pid), poll)
    .toHaveLength(1);

  controllers[1]!.abort();
  expect(await answers[1]).toBe('INVALID');
  expect(await answerTo(harmless)).toBe('drawn');
  await expect.poll(listProcesses, poll).toEqual([]);
});

test('a damaged PDF gives a page or an error, and never a mark [PDF-4, PDF-10]', async () => {
  const mark = 'Canary7391';
  const file = await createMarkedPdf(mark);
  const random = createRandom('pdf');
  for (let round = 0; round < 10; round++) {
    const damaged = Buffer.from(file);
    for (let flips = random.int(1, 40); flips > 0; flips--) {
      damaged[random.int(0, damaged.length - 1)] = random.int(0, 255);
    }
    const result = await processor
      .process('mallory', damaged, never)
      .catch((error: AppError) => error.code);
    if (typeof result === 'string') expect(result).toMatch(/^PDF_/);
    else expect(Buffer.from(result.pdf).includes(mark)).toBe(false);
  }
});
