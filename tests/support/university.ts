// A university whose names and texts are like those of a real one. The tests, the benchmarks, the fuzzers and the demo
// take their people, classes and messages from it. The same seed gives the same university.
import type { ClassFields } from '#contract/class-fields.ts';
import { createRandom } from './random.ts';
import { createLocalPart } from './university/addresses.ts';
import { createClassFields, personaNames } from './university/names.ts';
import { createMessageText } from './university/texts.ts';

export interface Person {
  /** The part of the address before the @. */
  localPart: string;
  personaName: string;
}

export interface University {
  /** Another number is a person with another address. */
  createPerson(n: number): Person;
  createClassFields(n: number): ClassFields;
  createMessageText(n: number): string;
}

/** The moments at which clocks change in 2026. */
export const clockChanges: readonly { timeZone: string; time: string; hours: number }[] = [
  { timeZone: 'Pacific/Auckland', time: '2026-04-04T14:00:00Z', hours: -1 },
  { timeZone: 'Pacific/Auckland', time: '2026-09-26T14:00:00Z', hours: 1 },
  { timeZone: 'America/Los_Angeles', time: '2026-03-08T10:00:00Z', hours: 1 },
  { timeZone: 'America/Los_Angeles', time: '2026-11-01T09:00:00Z', hours: -1 },
  { timeZone: 'Australia/Lord_Howe', time: '2026-04-04T15:00:00Z', hours: -0.5 },
  { timeZone: 'Australia/Lord_Howe', time: '2026-10-03T15:30:00Z', hours: 0.5 },
  // At midnight: the first hour of the day is missing, or comes twice.
  { timeZone: 'America/Santiago', time: '2026-09-06T04:00:00Z', hours: 1 },
  { timeZone: 'America/Santiago', time: '2026-04-05T03:00:00Z', hours: -1 },
  { timeZone: 'Africa/Cairo', time: '2026-04-23T22:00:00Z', hours: 1 },
];

function createUniversity(seed: number | string): University {
  const random = createRandom(seed);
  return {
    createPerson: (n) => ({
      localPart: createLocalPart(random.fork(`person ${n}`), n),
      personaName: personaNames[n % personaNames.length]!,
    }),
    createClassFields,
    createMessageText: (n) => createMessageText(random.fork(`message ${n}`), n),
  };
}

/** The university of every test that needs no university of its own. */
export const university = createUniversity('university');
