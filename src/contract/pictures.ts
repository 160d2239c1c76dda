// Uploads of pictures and PDFs.
import { z } from 'zod';
import { emptySchema, classParams } from './call-fields.ts';
import { pictureSchema, randomId, storagePath } from './entities.ts';

export const pictureCalls = {
  uploadImage: {
    params: classParams,
    /** 'staff' for a picture of a message as staff. Another message cannot have it. */
    query: z.strictObject({ as: z.literal('staff').optional() }),
    reply: z.strictObject({
      /** Names the image in the `post` frame, within an hour, or in the call that deletes it. */
      imageId: randomId,
      storagePath,
      ...pictureSchema.omit({ alt: true }).shape,
    }),
  },
  /** Deletes the account's own unsent image. A missing image is ignored. */
  deleteImage: {
    params: z.strictObject({ classId: randomId, imageId: randomId }),
    reply: emptySchema,
  },
} as const;
