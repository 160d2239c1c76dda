// The calls about a class, its members and messages.
import { randomInt } from 'node:crypto';
import { someClass } from '#tests/support/test-client.ts';
import { costlyName } from '#tests/worst-cases/costly-values.ts';
import type { classCalls as contract } from '#contract/classes.ts';
import type { FactsOf } from './facts.ts';

export const classCalls = {
  listClasses: { cost: { statements: 14, rowsRead: 421, kilobytesSent: 70 } },
  createClass: {
    body: ({ courseName }) => ({ ...someClass, courseName: `${courseName} 2` }),
    furtherHolders: ['operator'],
    largest: { values: () => ({ courseName: [costlyName] }) },
    cost: { rowsRead: 250, rowsWritten: 45, kilobytesWritten: 1500, frames: 4 },
    inADay: { rows: 200, megabytes: 1 },
  },
  readClass: {
    in: { deleted: 'NOT_FOUND' },
    cost: { statements: 14, rowsRead: 11, kilobytesSent: 5 },
  },
  readClassSettings: {},
  changeClassSettings: {
    in: { ended: 'CLASS_ENDED' },
    ownScene: 'forPerson',
    body: ({ messageId }) => ({
      version: 0,
      slowModeSeconds: 0,
      readOnly: true,
      picturesOff: false,
      description: 'What it is about',
      rules: 'Be kind.',
      pins: [messageId],
      quietTimes: [],
    }),
    cost: {
      statements: 40,
      rowsRead: 30,
      rowsWritten: 10,
      kilobytesWritten: 14,
      kilobytesSent: 50,
      frames: 5,
    },
  },
  listMembers: { cost: { rowsRead: 65, kilobytesSent: 7 } },
  changePersona: {
    but: { muted: 'MUTED' },
    in: { ended: 'CLASS_ENDED', quiet: 'READ_ONLY' },
    // A random word of digits and letters can read as 'tas', which is reserved.
    body: () => ({ anonymousName: `Heron ${randomInt(2 ** 40)}` }),
    sizeVaries: 'The class sees the name in the same moment.',
    cost: { statements: 19, rowsRead: 11, rowsWritten: 8, frames: 5 },
  },
  joinClass: {
    in: { deleted: 'NOT_FOUND' },
    ownScene: 'forCall',
    changedBy: 'otto',
    cost: { statements: 19, rowsRead: 14, rowsWritten: 4, frames: 4 },
  },
  // To leave a class without being a member is not an error and changes nothing.
  leaveClass: {
    in: { deleted: 'ok' },
    ownScene: 'forCall',
    order: 'late',
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[1]] }) },
    cost: { statements: 18, rowsRead: 12, rowsWritten: 7, kilobytesWritten: 110, frames: 4 },
  },
  listMessages: { cost: { statements: 30, rowsRead: 250, kilobytesSent: 90 } },
  readPreferences: { cost: { statements: 10, kilobytesSent: 30 } },
  savePreferences: {
    body: ({ messageId }) => ({ ignored: [], hidden: [messageId], muted: true, version: 0 }),
    largest: { values: ({ getPreferencesVersion }) => ({ version: [getPreferencesVersion()] }) },
    cost: { statements: 15, rowsRead: 11, kilobytesWritten: 120, kilobytesSent: 90, frames: 4 },
  },
} satisfies FactsOf<typeof contract>;
