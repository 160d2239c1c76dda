// Uploads in progress: one per unsent message, and in one tab at a time.
import { errors, AppError } from '#contract/errors.ts';
import type { Tabs } from './browser-tabs.ts';
import { type Outbox, isLost } from './outbox.ts';
import type { PictureCalls } from './picture-calls.ts';

export type UploadAnswer =
  | { kind: 'uploaded'; imageId: string }
  /** `retryInMs`: the delay until a retry may succeed, or null if it never will. */
  | { kind: 'refused'; refusal: AppError; retryInMs: number | null }
  /** No response arrived. */
  | { kind: 'lost' }
  /** The upload was cancelled, or another tab finished it. */
  | { kind: 'cancelled' };

/** An upload. Its id is the id of the message that uses it. */
interface Job {
  id: string;
  classId: string;
  bytes: Blob | null;
}

export interface PictureUploads {
  /** Starts the upload, or returns the one in progress with this id. */
  start(job: Job): Promise<UploadAnswer>;
  /** The uploaded share, from 0 to 1. Null if no upload is in progress. */
  progressOf(id: string): number | null;
  /** Cancels the upload. If the server has received the picture, it is deleted. */
  cancel(id: string): void;
  /** Only this tab has the bytes, so other tabs wait while this tab is open. */
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

/** A tab that uploads for longer than this may be suspended, so this tab takes over. */
const takeOverMs = 20_000;
const retryRefusedMs = 10_000;
/** Progress is reported in this many steps. */
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

  /** Waits until no other tab uploads the same picture. */
  function stand({ id, bytes }: Job, signal: AbortSignal) {
    const { promise: mine, resolve } = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    const on = { won: resolve, lost: () => {} };
    let leave = tabs.elect(lockOf(id), on);
    // Without the bytes, only the other tab can upload it.
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

  /** Checks what another tab has done with a sent message. */
  async function answerOfOutbox(id: string): Promise<UploadAnswer | null> {
    // A staged picture is in no outbox.
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
      // Resolves before the lock is released, so that other tabs see the result before they start.
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
