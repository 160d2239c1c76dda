// Says in which turn a mail leaves: lanes, such as the networks that ask for mails, take turns of a few mails each, so that a
// thousand mails of one network delay no one else's (start-time fair queuing). Only turns are stored, never a network.

export interface MailTurns {
  /** @param currentTurn the turn of the mails that leave now */
  take(lane: string, currentTurn: number): number;
  /** Forgets the lanes when no mail waits. */
  reset(): void;
}

/** Several, so that what is stored does not tell the order of mails. */
const mailsPerTurn = 10; // MAIL-12
/** More than the lanes of a full queue (MAIL-13). */
const maxLanes = 10_000;

export function createMailTurns(): MailTurns {
  /** The place of the next mail of each lane, in mails. The longest unused lane is the first. */
  const nextPlaces = new Map<string, number>();
  return {
    take(lane, currentTurn) {
      const place = Math.max(nextPlaces.get(lane) ?? 0, currentTurn * mailsPerTurn);
      nextPlaces.delete(lane);
      nextPlaces.set(lane, place + 1);
      const [oldestLane] = nextPlaces.keys();
      if (nextPlaces.size > maxLanes && oldestLane !== undefined) nextPlaces.delete(oldestLane);
      return Math.floor(place / mailsPerTurn);
    },
    reset: () => nextPlaces.clear(),
  };
}
