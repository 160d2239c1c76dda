// Uploads of pictures and PDFs.
import { z } from 'zod';
import { emptySchema, classParams } from './call-fields.ts';
import { messageSchema, pictureSchema, randomId, storagePath } from './entities.ts';

export const pictureCalls = {
  uploadImage: {
    route: 'POST /api/classes/:classId/images',
    who: 'member',
    limit: 'uploads',
    takesFile: true,
    params: classParams,
    /** 'staff' for a picture of a message as staff. Another message cannot have it. */
    query: z.strictObject({ as: z.literal('staff').optional() }),
    reply: z.strictObject({
      /** Names the image in the `post` frame, within an hour, or in the call that deletes it. */
      imageId: randomId,
      storagePath,
      ...pictureSchema.omit({ alt: true, spoiler: true }).shape,
    }),
  },
  /** The messages with pictures or PDFs, newest first, for the panel of the class. */
  listPictures: {
    route: 'GET /api/classes/:classId/images',
    who: 'member',
    limit: 'historyPages',
    params: classParams,
    query: z.strictObject({
      /** Selects messages with a smaller seq: `nextBefore` of the previous page. */
      before: z.coerce.number().int().min(1).optional(),
    }),
    reply: z.strictObject({
      /** A page can be short, or empty, and still have a next page. */
      messages: z.array(
        z.strictObject(
          messageSchema.pick({ id: true, memberId: true, createdAt: true, images: true }).shape,
        ),
      ),
      /** The `before` of the next page; null if there are no more messages. */
      nextBefore: z.int().min(1).nullable(),
    }),
  },
  /** Deletes the account's own unsent image. A missing image is ignored. */
  deleteImage: {
    route: 'DELETE /api/classes/:classId/images/:imageId',
    who: 'member',
    params: z.strictObject({ classId: randomId, imageId: randomId }),
    reply: emptySchema,
  },
} as const;
