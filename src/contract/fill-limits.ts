import { limits, pollLimits } from './limits.ts';

const allLimits: Readonly<Record<string, number>> = { ...limits, ...pollLimits };

/** Puts the limits into a text of a catalogue: `{limits_mentions}` becomes the number of `limits.mentions`. */
export function fillLimits(text: string, formatNumber: (limit: number) => string): string {
  return text.replace(/\{limits_(\w+)\}/g, (_, name: string) => {
    const limit = allLimits[name];
    if (limit === undefined) throw new Error(`There is no limit ${name}: ${text}`);
    return formatNumber(limit);
  });
}
