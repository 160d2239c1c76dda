import type { z } from 'zod';
import { classSchema, randomId } from './entities.ts';

/** All of a class that a hosted index is given: what everybody signed in may see of one that goes on. */
export const classRecordSchema = classSchema
  .omit({ classId: true, ended: true })
  .extend({ objectID: randomId });
export type ClassRecord = z.infer<typeof classRecordSchema>;
