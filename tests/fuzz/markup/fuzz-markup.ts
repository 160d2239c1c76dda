// Random texts against the markup of messages: nothing may throw, take long, or show what was not typed.
import { createRandom } from '#tests/support/random.ts';
import { checkMarkup, isTooSlow } from './check-markup.ts';
import { createHostileText } from './hostile-texts.ts';

interface Limits {
  maxTexts: number;
  /** A time of `performance.now()`. */
  deadline: number;
}

export interface MarkupRun {
  texts: number;
  faults: readonly string[];
  maxElements: number;
  maxCpuMs: number;
}

/** The same seed checks the same texts. */
export function fuzzMarkup(seed: number, { maxTexts, deadline }: Limits): MarkupRun {
  const faults: string[] = [];
  let texts = 0;
  let maxElements = 0;
  let maxCpuMs = 0;
  while (texts < maxTexts && performance.now() < deadline && faults.length < 20) {
    const text = createHostileText(createRandom(`${seed}/markup/${texts}`));
    const result = checkMarkup(text);
    const slow = isTooSlow(text, result) ? [`${result.cpuMs.toFixed(0)} ms`] : [];
    for (const fault of [...result.faults, ...slow]) {
      faults.push(`markup: ${fault} in ${JSON.stringify(text.slice(0, 300))} (text ${texts})`);
    }
    maxElements = Math.max(maxElements, result.elements);
    maxCpuMs = Math.max(maxCpuMs, result.cpuMs);
    texts += 1;
  }
  return { texts, faults, maxElements, maxCpuMs };
}
