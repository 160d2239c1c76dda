// Uploads that are going on: one for each message to be, in one of the browser's tabs at a time.
import { errors, AppError } from '#contract/errors.ts';
import type { Tabs } from './browser-tabs.ts';
import { type Outbox, isLost } from './outbox.ts';
import type { PictureCalls } from './picture-calls.ts';

export type UploadAnswer =
  | { kind: 'uploaded'; imageId: string }
  /** `retryInMs`: the same may succeed then; null when it never will. */
  | { kind: 'refused'; refusal: AppError; retryInMs: number | null }
  /** No answer came. */
  | { kind: 'lost' }
  /** Nobody wants it any more, or another tab has done all of it. */
  | { kind: 'cancelled' };

/** What is uploaded, under the id of the message that has it or will have it. */
interface Job {
  id: string;
  classId: string;
  bytes: Blob | null;
}

export interface PictureUploads {
  /** Begins, or joins what is going on under this id. */
  start(job: Job): Promise<UploadAnswer>;
  /** The share that is on its way, from 0 to 1; null while nothing is. */
  progressOf(id: string): number | null;
  /** Ends it. What the server has of it by then is taken away again. */
  cancel(id: string): void;
  /** Only this tab has the bytes: others wait for it for as long as it is there. */
  keep(id: string): void;
  stop(): void;
}

interface Parts {
  calls: PictureCalls;
  outbox: Pick<Outbox, 'find' | 'reload' | 'uploaded'>;
  tabs: Pick<Tabs, 'elect'>;
  onProgress(classId: string): void;
}

interface Going {
  answer: Promise<UploadAnswer>;
  progress: number;
  controller: AbortController;
}

/** Another tab that uploads for longer than this may be asleep: this one does it too. */
const takeOverMs = 20_000;
const retryRefusedMs = 10_000;
/** Smaller steps are not worth drawing. */
const steps = 20;

const lostSentence = 'This browser had no room to keep the picture. Retry sends the text alone.';
const lostAloneSentence =
  'This browser had no room to keep the picture. Please delete this and choose it again.';

export function createPictureUploads({ calls, outbox, tabs, onProgress }: Parts): PictureUploads {
  const going = new Map<string, Going>();
  const kept = new Map<string, () => void>();

  function start(job: Job): Promise<UploadAnswer> {
    const known = going.get(job.id);
    if (known) return known.answer;
    const controller = new AbortController();
    const mine = { controller, progress: 0, answer: run(job, controller.signal) };
    going.set(job.id, mine);
    void mine.answer.then(() => {
      if (going.get(job.id) === mine) going.delete(job.id);
      onProgress(job.classId);
    });
    return mine.answer;
  }

  async function run(job: Job, signal: AbortSignal): Promise<UploadAnswer> {
    const turn = kept.has(job.id) ? null : stand(job, signal);
    try {
      await turn?.mine;
      if (signal.aborted) return { kind: 'cancelled' };
      return (await answerOfOutbox(job.id)) ?? (await upload(job, signal));
    } finally {
      turn?.releaseLeadership();
    }
  }

  /** Waits until no other tab uploads the same. */
  function stand({ id, bytes }: Job, signal: AbortSignal) {
    const { promise: mine, resolve } = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const on = { won: resolve, lost: () => {} };
    let leave = tabs.elect(lockOf(id), on);
    // Without the bytes only that other tab can do it.
    if (bytes) {
      timer = setTimeout(() => {
        leave();
        leave = tabs.elect(lockOf(id), on, true);
      }, takeOverMs);
    }
    const waited = mine.then(() => {
      if (timer) clearTimeout(timer);
    });
    signal.addEventListener('abort', () => resolve());
    return { mine: waited, releaseLeadership: () => leave() };
  }

  /** What another tab has done meanwhile with a message that was sent off. */
  async function answerOfOutbox(id: string): Promise<UploadAnswer | null> {
    // What is only staged is in no outbox.
    if (!outbox.find(id)) return null;
    await outbox.reload();
    const entry = outbox.find(id);
    if (!entry?.picture) return { kind: 'cancelled' };
    const { imageId } = entry.picture;
    if (imageId !== null) return { kind: 'uploaded', imageId };
    if (!isLost(entry.picture)) return null;
    const sentence = entry.text ? lostSentence : lostAloneSentence;
    return { kind: 'refused', refusal: new AppError('IMAGE_GONE', sentence), retryInMs: null };
  }

  async function upload(job: Job, signal: AbortSignal): Promise<UploadAnswer> {
    const { id, classId } = job;
    const bytes = job.bytes ?? outbox.find(id)?.picture?.bytes;
    if (!bytes) return { kind: 'cancelled' };
    try {
      const { imageId } = await calls.upload(classId, bytes, report(job), signal);
      if (signal.aborted) {
        void calls.remove(classId, imageId).catch(() => undefined);
        return { kind: 'cancelled' };
      }
      // Other tabs see it before they may begin themselves.
      await outbox.uploaded(id, imageId);
      return { kind: 'uploaded', imageId };
    } catch (error) {
      if (signal.aborted) return { kind: 'cancelled' };
      if (!(error instanceof AppError)) return { kind: 'lost' };
      const retryInMs = errors[error.code].retry ? (error.retryAfterMs ?? retryRefusedMs) : null;
      return { kind: 'refused', refusal: error, retryInMs };
    }
  }

  function report({ id, classId }: Job): (share: number) => void {
    return (share) => {
      const mine = going.get(id);
      const progress = Math.floor(share * steps) / steps;
      if (!mine || mine.progress === progress) return;
      mine.progress = progress;
      onProgress(classId);
    };
  }

  function cancel(id: string): void {
    going.get(id)?.controller.abort();
    going.delete(id);
    kept.get(id)?.();
    kept.delete(id);
  }

  return {
    start,
    progressOf: (id) => going.get(id)?.progress ?? null,
    cancel,
    keep(id) {
      if (kept.has(id)) return;
      const none = { won: () => {}, lost: () => {} };
      kept.set(id, tabs.elect(lockOf(id), none));
    },
    stop() {
      for (const id of new Set([...going.keys(), ...kept.keys()])) cancel(id);
    },
  };
}

const lockOf = (id: string) => `picture ${id}`;
