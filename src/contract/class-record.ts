import type { z } from 'zod';
import { classSchema, randomId } from './entities.ts';

/** The fields that a hosted index receives: what signed-in accounts see of a class that has not ended. */
export const classRecordSchema = classSchema
  .omit({ classId: true, ended: true })
  .extend({ objectID: randomId });
export type ClassRecord = z.infer<typeof classRecordSchema>;
