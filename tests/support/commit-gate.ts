// Holds commits between the check at the start of an action and the commit.

export function createCommitGate() {
  let gate: { held: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | null =
    null;

  return {
    /** Each commit calls it first. */
    async pass(): Promise<void> {
      if (!gate) return;
      const { held, released } = gate;
      held.resolve();
      await released.promise;
    },
    /** Ends something while the action waits for its commit. @returns what the action then gets */
    async endBeforeCommit<Result>(
      end: () => Promise<unknown>,
      act: () => Promise<Result>,
    ): Promise<Result> {
      const { held, released } = (gate = {
        held: Promise.withResolvers<void>(),
        released: Promise.withResolvers<void>(),
      });
      try {
        const acting = act();
        const isHeld = await Promise.race([
          held.promise.then(() => true),
          acting.then(() => false),
        ]);
        if (!isHeld) throw new Error('The act did not reach its commit.');
        // What waits goes on waiting, and the commits of the end pass.
        gate = null;
        await end();
        released.resolve();
        return await acting;
      } finally {
        gate = null;
        released.resolve();
      }
    },
  };
}
