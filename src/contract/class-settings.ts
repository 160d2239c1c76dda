import type { ClassSettings } from './entities.ts';

/** The settings of a class until a moderator changes them. */
export const defaultClassSettings: ClassSettings = {
  version: 0,
  slowModeSeconds: 0,
  readOnly: false,
  picturesOff: false,
  description: '',
  rules: '',
  pins: [],
  quietTimes: [],
};
