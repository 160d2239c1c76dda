// Holds commits between the check at the start of an action and the commit.

export function createCommitGate() {
  let gate: { reached: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | null =
    null;

  return {
    /** Each commit calls this before it starts. */
    async pass(): Promise<void> {
      if (!gate) return;
      const { reached, released } = gate;
      reached.resolve();
      await released.promise;
    },
    /** Runs `end` while the action waits for its commit. @returns the result of the action */
    async endBeforeCommit<Result>(
      end: () => Promise<unknown>,
      action: () => Promise<Result>,
    ): Promise<Result> {
      const { reached, released } = (gate = {
        reached: Promise.withResolvers<void>(),
        released: Promise.withResolvers<void>(),
      });
      try {
        const result = action();
        const isHeld = await Promise.race([
          reached.promise.then(() => true),
          result.then(() => false),
        ]);
        if (!isHeld) throw new Error('The action did not reach its commit.');
        // The commits of `end` pass, while that of the action still waits.
        gate = null;
        await end();
        released.resolve();
        return await result;
      } finally {
        gate = null;
        released.resolve();
      }
    },
  };
}
