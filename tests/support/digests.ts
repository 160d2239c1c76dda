// The days on which students get a daily email.
import { expect, vi } from 'vitest';
import type { RunningApp } from './running-app.ts';
import type { TestClient } from './test-client.ts';

const patience = { timeout: 30_000, interval: 50 };
const dayMs = 24 * 60 * 60_000;

/** Turns the daily email on. */
export async function turnOnDigest(student: TestClient): Promise<TestClient> {
  await student.call('saveDigest', { body: { digest: true } });
  return student;
}

/** The member reads the class, so everything older counts as read. */
export async function open(student: TestClient, classId: string): Promise<void> {
  const socket = await student.connectTo(classId);
  socket.close();
}

/** @returns the time (UTC) of today, or of `daysLater` days after it */
export function toTime(time: string, daysLater = 0): number {
  const today = Math.floor(startedAt / dayMs) * dayMs;
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return today + daysLater * dayMs + (hours * 60 + minutes) * 60_000;
}
const startedAt = Date.now();

export function setClock(now: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now });
}

/** Restarts the server at this time. The restart clears its memory of who used the app when. */
export function restartAt(app: RunningApp, now: number): Promise<void> {
  return app.restart(async () => {
    setClock(now);
    await acceptClock(app);
  });
}

/** The next start removes what is due, though the clock has jumped (RETAIN-7). */
export async function acceptClock({ database }: RunningApp): Promise<void> {
  await database.query(
    `update "serverMetadata" set value = '${Math.floor(Date.now() / dayMs)}' where name = 'lastSeenDay'`,
  );
}

/** Resolves when no mail waits to be sent. */
export async function waitUntilMailsSent(app: RunningApp): Promise<void> {
  const listWaitingMails = async () => (await app.database.tables())['outgoingMails'];
  await expect.poll(listWaitingMails, patience).toEqual([]);
}
