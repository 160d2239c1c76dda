import type { Scenario } from './scenario.ts';
import { comeBack } from './scenarios/come-back.ts';
import { firstWeek } from './scenarios/first-week.ts';
import { lecture } from './scenarios/lecture.ts';
import { maxRate } from './scenarios/max-rate.ts';
import { hugeRoom, largeRoom, manyRooms } from './scenarios/steady-rate.ts';
import { typing } from './scenarios/typing.ts';
import { visit } from './scenarios/visit.ts';

/** The scenarios, in the order of the run. */
export const scenarios = {
  'large-room': largeRoom,
  'many-rooms': manyRooms,
  'max-rate': maxRate,
  'huge-room': hugeRoom,
  'come-back': comeBack,
  'first-week': firstWeek,
  lecture,
  visit,
  typing,
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** What runs without `--scenario`. The others take long, or need a browser. */
export const usualScenarios: readonly ScenarioName[] = [
  'large-room',
  'many-rooms',
  'max-rate',
  'huge-room',
  'come-back',
];
