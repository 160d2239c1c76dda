import { limits } from '#contract/limits.ts';
import { personaIcon } from '#contract/persona-icon.ts';
import { personaLook } from '#web/ui/persona-look.ts';

const offered = 24;

/**
 * The icons that are offered: the one that is mine now first, then others, each of another shape, and
 * none that looks like one which somebody else in the room has.
 */
export function iconChoices(memberId: string, now: string, others: readonly string[]): string[] {
  const seeds = Array.from({ length: limits.personaIcons }, (_, n) => personaIcon(memberId, n));
  const worn = new Set(others.map(lookOf));
  const choices = [now];
  const shapes = new Set([personaLook(now).shape]);
  for (const seed of seeds) {
    const { shape } = personaLook(seed);
    if (choices.length === offered || shapes.has(shape) || worn.has(lookOf(seed))) continue;
    shapes.add(shape);
    choices.push(seed);
  }
  return choices;
}

function lookOf(seed: string): string {
  return Object.values(personaLook(seed)).join();
}
