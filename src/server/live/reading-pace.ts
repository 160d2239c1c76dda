// Pauses reading from a socket while its account sends too many frames, or while too many frames are unanswered. A pause
// takes effect after the current packet, which can hold thousands of frames. So an account that exceeds its limit by a
// whole period loses its socket.
import type { WebSocket } from 'ws';

/** The server stops reading from the socket at this many unanswered frames. */
const maxUnansweredFrames = 32;

// One instance exists per socket, so this is a class: methods cost no memory per instance.
export class ReadingPace {
  readonly #socket: WebSocket;
  readonly #reserve: () => number;
  readonly #onFlood: () => void;
  #unansweredFrames = 0;
  #isThrottled = false;
  #throttledUntil = 0;

  /**
   * @param reserve counts one frame against the account's limit and returns how long to wait, in milliseconds, or Infinity
   * @param onFlood called if the account would have to wait too long
   */
  constructor(socket: WebSocket, reserve: () => number, onFlood: () => void) {
    this.#socket = socket;
    this.#reserve = reserve;
    this.#onFlood = onFlood;
  }

  /** Counts a received frame against the limit (LIMIT-25). Call it for each frame, pings and pongs included. */
  countReceived(): void {
    const waitMs = this.#reserve();
    if (waitMs === 0) return;
    if (waitMs === Infinity) return this.#onFlood();
    // All frames of one packet arrive together, so one timer covers all of them.
    this.#throttledUntil = Math.max(this.#throttledUntil, performance.now() + waitMs);
    if (this.#isThrottled) return;
    this.#isThrottled = true;
    this.#socket.pause();
    this.#resumeAfter(waitMs);
  }

  #resumeAfter(waitMs: number): void {
    setTimeout(() => {
      const remainingMs = this.#throttledUntil - performance.now();
      if (remainingMs > 0) return this.#resumeAfter(remainingMs);
      this.#isThrottled = false;
      this.#resume();
    }, waitMs).unref();
  }

  /** Counts a frame that is being processed. Call `countAnswered` afterwards. */
  countUnanswered(): void {
    if (++this.#unansweredFrames === maxUnansweredFrames) this.#socket.pause();
  }

  countAnswered(): void {
    if (this.#unansweredFrames-- === maxUnansweredFrames) this.#resume();
  }

  #resume(): void {
    if (!this.#isThrottled && this.#unansweredFrames < maxUnansweredFrames) this.#socket.resume();
  }
}
