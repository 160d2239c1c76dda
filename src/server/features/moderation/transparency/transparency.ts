// Public figures of moderation. They end with the last complete day (UTC): a number that changed immediately would reveal the
// moment of a report or a sanction. So they are counted once a day.
import type { CallReply } from '#contract/http.ts';
import {
  classFigures,
  siteFigures,
  type ClassFigure,
  type SiteFigure,
} from '#contract/transparency.ts';
import { toDate, formatDay, getToday } from '#server/base/days.ts';
import type { Database } from '#server/store/tables.ts';
import { countActions, countAllReports, countClassActions } from './transparency-queries.ts';
import {
  toPublicSetting,
  type Unmasking,
} from '#server/features/moderation/unmasking/unmasking-setting.ts';

const recentDays = 30; // OPEN-1
/** Above this number, all are counted again when someone asks. */
const maxClasses = 2000;

/** The actions of the audit log that count for each figure. Reports are counted separately. */
const actsOf: Record<SiteFigure, readonly string[]> = {
  reports: [],
  removedMessages: ['remove'],
  mutes: ['mute'],
  removals: ['remove-member'],
  suspensions: ['suspend'],
  unmaskings: ['unmask-confirm'],
};

/** Messages count by action, and people once each. */
const classActs: Record<ClassFigure, { act: string; unit: 'acts' | 'members' }> = {
  removedMessages: { act: 'remove', unit: 'acts' },
  mutedMembers: { act: 'mute', unit: 'members' },
  removedMembers: { act: 'remove-member', unit: 'members' },
};

export interface Transparency {
  getSiteReport(): Promise<CallReply<'readSiteTransparency'>>;
  /** The caller checks who may read it. */
  ofClass(classId: string): Promise<CallReply<'readClassTransparency'>>;
}

type SiteFigures = CallReply<'readSiteTransparency'>['figures'];
type ClassFigures = CallReply<'readClassTransparency'>['figures'];

interface Counted<Figures> {
  day: number;
  figures: Promise<Figures>;
}

export function createTransparency(db: Database, unmasking: Unmasking): Transparency {
  let site: Counted<SiteFigures> | null = null;
  const classes = new Map<string, Counted<ClassFigures>>();

  /** One count for all who ask at the same time. A failed one is not kept. */
  function countOncePerDay<Figures>(
    lastCount: Counted<Figures> | null | undefined,
    count: () => Promise<Figures>,
    keep: (counted: Counted<Figures> | null) => void,
  ): Promise<Figures> {
    const day = getToday();
    if (lastCount?.day === day) return lastCount.figures;
    const figures = count();
    keep({ day, figures });
    figures.catch(() => keep(null));
    return figures;
  }

  const toCommonFields = () => ({
    through: formatDay(toDate(getToday() - 1)),
    unmasking: toPublicSetting(unmasking),
  });

  return {
    async getSiteReport() {
      const keep = (next: typeof site) => {
        site = next;
      };
      return {
        figures: await countOncePerDay(site, () => countSite(db), keep),
        ...toCommonFields(),
      };
    },
    async ofClass(classId) {
      const keep = (next: Counted<ClassFigures> | null) => {
        if (classes.size >= maxClasses) classes.clear();
        if (next) classes.set(classId, next);
        else classes.delete(classId);
      };
      const count = () => countClass(db, classId);
      const figures = await countOncePerDay(classes.get(classId), count, keep);
      return { figures, ...toCommonFields() };
    },
  };
}

function toRecentPeriod() {
  const endDay = getToday();
  const from = endDay - recentDays;
  return {
    days: { from, to: endDay },
    times: { from: toDate(from).getTime(), to: toDate(endDay).getTime() },
  };
}

async function countSite(db: Database): Promise<SiteFigures> {
  const { days, times } = toRecentPeriod();
  const acts = await countActions(db, Object.values(actsOf).flat(), times);
  const reports = await countAllReports(db, days);
  return siteFigures.map((figure) => {
    if (figure === 'reports') return { figure, ...reports };
    const counts = acts.filter(({ act }) => actsOf[figure].includes(act));
    const sum = (period: 'recent' | 'total') =>
      counts.reduce((all, count) => all + count[period], 0);
    return { figure, recent: sum('recent'), total: sum('total') };
  });
}

async function countClass(db: Database, classId: string): Promise<ClassFigures> {
  const counts = await countClassActions(db, classId, toRecentPeriod().times);
  return classFigures.map((figure) => {
    const { act, unit } = classActs[figure];
    return { figure, recent: counts.find((count) => count.act === act)?.[unit] ?? 0 };
  });
}
