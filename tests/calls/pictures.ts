// The calls of pictures.
import { createJpeg, upload } from '#tests/support/pictures.ts';
import type { pictureCalls as contract } from '#contract/pictures.ts';
import type { FactsOf } from './facts.ts';

export const pictureCalls = {
  // Without its file, the body is not a picture.
  uploadImage: {
    outcome: 'IMAGE_NOT_A_PICTURE',
    but: { muted: 'MUTED' },
    in: { quiet: 'READ_ONLY' },
    query: ({ as }) => ({ as }),
    createFile: createJpeg,
    furtherHolders: ['staff'],
    prepare: ({ right }) => (right === 'staff' ? { as: 'staff' } : {}),
    cost: { statements: 40, rowsRead: 19, rowsWritten: 8, files: 2, cpuMs: 500 },
    inADay: { rows: 15000, megabytes: 6, files: 30000 },
  },
  listPictures: { cost: { rowsRead: 15, kilobytesSent: 45 } },
  deleteImage: {
    order: 'late',
    prepare: async ({ caller, classId }) => ({
      imageId: (await upload(caller, classId, await createJpeg())).imageId,
    }),
    cost: { statements: 20, rowsRead: 11, rowsWritten: 7 },
  },
} satisfies FactsOf<typeof contract>;
