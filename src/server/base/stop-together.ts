/** Parts that stop together, because each may wait for a database that does not respond. */
export class StopTogether implements AsyncDisposable {
  readonly #stops: (() => unknown)[] = [];

  defer(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /** Stops every part, also if another one fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = await Promise.allSettled(this.#stops.map(async (stop) => stop()));
    const failed = stopped.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
