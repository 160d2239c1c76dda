// Ends terms after the dates of TERM_ENDS. In the week before, the log says how many classes will end.
import { formatTerm } from '#server/config/term.ts';
import { createDailyClock } from '#server/base/daily-clock.ts';
import { endTerm, listClassesToEnd } from './terms.ts';
import type { Server } from '#server/feature.ts';
import { createStopSign } from '#server/store/background-lease.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Database } from '#server/store/tables.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';

/** The state of each term by its name: the day of its first announcement, in days since 1970, or that the term has ended. */
type Progress = Record<string, number | 'ended'>;

const intervalMs = 10 * 60_000;
const daysAnnounced = 7; // TERM-2
const metadataName = 'termEnds';

async function getProgress(db: Database): Promise<Progress> {
  return JSON.parse((await findMetadata(db, metadataName)) ?? '{}') as Progress;
}

/** @returns a function that stops the schedule, and resolves when no class is being ended */
export function startScheduledTermEnds({
  config,
  db,
  commits,
  lease,
  log,
}: Pick<Server, 'config' | 'db' | 'commits' | 'lease' | 'log'>): () => Promise<void> {
  const { termEnds, reopenDays } = config;
  const { timeZone } = termEnds;
  const clock = createDailyClock({ startMinute: 0, timeZone });
  const stopping = new AbortController();
  const stopSign = createStopSign(lease, stopping.signal);
  let loggedDay = 0;

  /** Saves the state of a term. The states of other terms are read in the commit, because another node may have saved them. */
  async function saveState(term: string, state: Progress[string]): Promise<void> {
    // The states of terms that the administrator has removed from the setting are deleted.
    const names = new Set(termEnds.terms.map(formatTerm));
    await commits.write(async ({ db: tx }) => {
      const progress = { ...(await getProgress(tx)), [term]: state };
      const knownTerms = Object.entries(progress).filter(([name]) => names.has(name));
      await writeMetadata(tx, metadataName, JSON.stringify(Object.fromEntries(knownTerms)));
    }, 'everything');
  }

  async function step(): Promise<void> {
    if (!lease.isHeld()) return;
    const { day } = clock(Date.now());
    const progress = await getProgress(db);
    for (const term of termEnds.terms) {
      const name = formatTerm(term);
      const state = progress[name];
      if (state === 'ended' || day < term.lastDay - daysAnnounced) continue;
      // A date that is past when the administrator sets it is still announced for a day, because an end can be undone only for some days.
      if (state !== undefined && state < day && term.lastDay < day) {
        const count = await endTerm({ db, commits }, term, { reopenDays, timeZone }, stopSign);
        if (stopSign.aborted) return;
        await saveState(name, 'ended');
        log.info('term.ended', { term: name, count });
      } else if (loggedDay !== day) {
        const { length: count } = await listClassesToEnd(db, term, timeZone);
        log.info('term.upcoming', { term: name, count });
      }
      if (state === undefined) await saveState(name, day);
    }
    loggedDay = day;
  }

  const run = () => step().catch((error: unknown) => log.warn('term.failed', { error }));
  const stop = startRepeating(run, intervalMs);
  return async () => {
    stopping.abort();
    await stop();
  };
}
