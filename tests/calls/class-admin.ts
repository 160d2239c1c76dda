// The calls by which operators manage classes and terms.
import { randomInt } from 'node:crypto';
import { endedTerm, endInTerm } from '#tests/support/ended-term.ts';
import { someClass } from '#tests/support/test-client.ts';
import { costlyName } from '#tests/worst-cases/costly-values.ts';
import type { classAdminCalls as contract } from '#contract/class-admin.ts';
import type { FactsOf } from './facts.ts';

export const classAdminCalls = {
  listAllClasses: { cost: { statements: 30, rowsRead: 30, frames: 4 } },
  editClass: {
    body: ({ courseName }) => ({
      ...someClass,
      courseName: `${courseName} edited`,
      semesterSeason: 'Fall',
      year: 2026,
    }),
    largest: {
      values: ({ spareClassIds }) => ({ classId: [spareClassIds[1]], courseName: [costlyName] }),
    },
    cost: { rowsWritten: 11 },
  },
  endClass: {
    ownScene: 'forCall',
    order: 'late',
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[1]] }) },
    cost: { rowsWritten: 12 },
  },
  reopenClass: {
    in: { withoutLinks: 'CLASS_ENDED' },
    ownScene: 'forCall',
    order: 'late',
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[1]] }) },
    async prepare({ otto, classId }) {
      await otto.call('endClass', { params: { classId } });
    },
    cost: { rowsRead: 16, rowsWritten: 12 },
  },
  deleteClass: {
    ownScene: 'forCall',
    order: 'late',
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[0]] }) },
    cost: { rowsWritten: 11 },
  },
  // Only a deleted class can be restored.
  restoreClass: {
    outcome: 'NOT_FOUND',
    in: { deleted: 'ok' },
    ownScene: 'forCall',
    order: 'late',
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[0]] }) },
    async prepare({ otto, classId }) {
      await otto.call('deleteClass', { params: { classId } });
    },
    cost: { rowsRead: 16, rowsWritten: 11 },
  },
  // There is no such other class.
  previewMerge: {
    outcome: 'NOT_FOUND',
    query: ({ keptClassId }) => ({ keptClassId }),
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[0]] }) },
    cost: { statements: 15, rowsRead: 14 },
  },
  // There is no such other class. The first step of a merge: the members join.
  mergeClass: {
    outcome: 'NOT_FOUND',
    body: ({ keptClassId }) => ({ keptClassId }),
    order: 'late',
    largest: { values: ({ spareClassIds }) => ({ classId: [spareClassIds[0]] }) },
    prepare: async ({ otto, courseName }) => ({
      keptClassId: await otto.createClass({ courseName: `${courseName} kept` }),
    }),
    cost: { statements: 50, rowsRead: 30, rowsWritten: 16 },
  },
  importClasses: {
    body: ({ courseName }) => {
      const fields = {
        ...someClass,
        courseName: `${courseName} imported`,
        semesterSeason: 'Fall' as const,
        year: 2026,
      };
      return { apply: true, lines: [{ line: 2, fields }] };
    },
    largest: { values: () => ({ courseName: [costlyName] }) },
    cost: { statements: 150, rowsRead: 130, rowsWritten: 8 },
  },
  endTerm: {
    ownScene: 'forCall',
    body: ({ year }) => ({ semesterSeason: 'Fall', year }),
    order: 'last',
    async prepare({ app, classId }) {
      const year = 2015 + randomInt(5);
      await app.database.query(
        `update classes set "semesterSeason" = 'Fall', year = ${year} where "classId" = '${classId}'`,
      );
      return { year };
    },
    cost: { statements: 470, rowsRead: 320, rowsWritten: 160, kilobytesWritten: 12, cpuMs: 500 },
  },
  reopenTerm: {
    ownScene: 'forCall',
    body: () => endedTerm,
    order: 'late',
    largest: { prepare: (data) => data.endAllTerms() },
    prepare: ({ app, classId }) => endInTerm(app.database, classId),
    cost: { statements: 470, rowsRead: 420, rowsWritten: 160, kilobytesWritten: 12 },
  },
} satisfies FactsOf<typeof contract>;
