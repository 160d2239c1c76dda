// Decides in which turn a mail is sent (start-time fair queuing). Lanes, such as the networks that cause mails, take turns of a
// few mails each, so that a thousand mails of one network do not delay the mails of others. Only turns are stored, never a
// network.

export interface MailTurns {
  /** @param currentTurn the turn of the mails that are sent now */
  take(lane: string, currentTurn: number): number;
  /** Forgets the lanes when no mail waits. */
  reset(): void;
}

/** A turn has several mails, so that the stored turns do not tell the order of mails. */
const mailsPerTurn = 10; // MAIL-12
/** A larger number than a full queue has lanes (MAIL-13). */
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
