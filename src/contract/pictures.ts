// Uploads of pictures and PDFs.
import { z } from 'zod';
import { nothing, ofClass } from './call-fields.ts';
import { pictureSchema, randomId, storagePath } from './entities.ts';

export const pictureCalls = {
  uploadImage: {
    params: ofClass,
    /** 'staff' for a picture of a message as staff. Another message cannot have it. */
    query: z.strictObject({ as: z.literal('staff').optional() }),
    reply: z.strictObject({
      /** For the `post` frame, within an hour, or for the call that deletes the image. */
      imageId: randomId,
      storagePath,
      ...pictureSchema.omit({ alt: true }).shape,
    }),
  },
  /** Deletes the account's own unsent image. A missing image is ignored. */
  deleteImage: { params: z.strictObject({ classId: randomId, imageId: randomId }), reply: nothing },
} as const;
