import type { Scenario } from './scenario.ts';
import { comeBack } from './scenarios/come-back.ts';
import { exam } from './scenarios/exam.ts';
import { history } from './scenarios/history.ts';
import { maxRate, maxRateReading } from './scenarios/max-rate.ts';
import { openClasses } from './scenarios/open-classes.ts';
import { readMarks } from './scenarios/read-marks.ts';
import { hugeRoom, largeRoom, manyRooms, manyRoomsWithFeatures } from './scenarios/steady-rate.ts';
import { typing } from './scenarios/typing.ts';

/** The scenarios, in the order of the run. */
export const scenarios = {
  'large-room': largeRoom,
  'many-rooms': manyRooms,
  'many-rooms-with-features': manyRoomsWithFeatures,
  'max-rate': maxRate,
  'max-rate-reading': maxRateReading,
  history,
  'huge-room': hugeRoom,
  exam,
  'read-marks': readMarks,
  typing,
  'come-back': comeBack,
  'open-classes': openClasses,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
