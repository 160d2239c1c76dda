// The calls of the page of a course. Without a launch, they find none.
import { randomUUID } from 'node:crypto';
import type { ltiCalls as contract } from '#contract/lti.ts';
import { loadServerKeys } from '#server/base/server-keys.ts';
import { loadConfig } from '#server/config/config.ts';
import { createCourseCookie, toCourseId } from '#server/features/lti/course.ts';
import { savePlatform } from '#server/features/lti/lti-queries.ts';
import { someClass, type TestClient } from '#tests/support/test-client.ts';
import type { TestDatabase } from '#tests/support/test-database.ts';
import { writeChange } from '#tests/support/write-change.ts';
import type { FactsOf, Scene } from './facts.ts';
import { addRole } from './scene.ts';

/** Gives the person the cookie that a launch as an instructor gives. @returns what the page of the course knows */
export async function openCourse(
  { database }: { database: Pick<TestDatabase, 'settings'> },
  person: TestClient,
  contextId: string,
): Promise<{ courseId: string }> {
  const config = loadConfig({ ...database.settings });
  const platformId = 'platform';
  const url = 'https://lms.university.edu';
  const urls = { origin: url, authorizationUrl: url, keySetUrl: url };
  const platform = { platformId, issuer: url, clientId: 'client', deployments: '["1"]', ...urls };
  await writeChange(config.database, ({ db }) => savePlatform(db, { ...platform, grantsStaff: 0 }));
  const keys = loadServerKeys(config.secretKey, config.keyDir);
  const course = {
    title: 'Algorithms',
    label: 'CS 146',
    isInstructor: true,
    saysLinked: false,
    picking: null,
  };
  const key = { platformId, deploymentId: '1', contextId };
  person.keepCookie(createCourseCookie({ config, keys }, { ...course, key }));
  return { courseId: toCourseId({ keys }, key) };
}

const openOwnCourse = ({ app, caller, classId }: Scene) => openCourse(app, caller, classId);

export const ltiCalls = {
  readCourse: {
    largest: {
      async prepare(data) {
        await openCourse(data, data.student, data.classId);
      },
    },
    cost: { rowsRead: 12 },
  },
  linkCourse: {
    outcome: 'NOT_FOUND',
    body: ({ classId }) => ({ classId, staffName: 'Prof. Lee' }),
    prepare: openOwnCourse,
    largest: { prepare: (data) => openCourse(data, data.student, data.classId) },
    cost: { kilobytesWritten: 20 },
  },
  createCourseClass: {
    outcome: 'NOT_FOUND',
    body: () => ({ ...someClass, noFixedHours: false }),
    prepare: openOwnCourse,
    largest: { prepare: (data) => openCourse(data, data.student, randomUUID()) },
    cost: { rowsRead: 250, rowsWritten: 45, kilobytesWritten: 1500, frames: 4 },
    inADay: { rows: 200, megabytes: 1 },
  },
  listProposals: { cost: { rowsRead: 12 } },
  decideProposal: {
    outcome: 'NOT_FOUND',
    body: () => ({ accept: true }),
    async prepare({ app, ben, caller, classId }) {
      const params = await openCourse(app, ben, classId);
      await ben.call('linkCourse', { params, body: { classId, staffName: 'Prof. Lee' } });
      await addRole(app, caller, 'staff', classId);
      const { proposals } = await caller.call('listProposals', {});
      return { roleId: proposals[0]?.roleId ?? '' };
    },
    largest: {
      async prepare(data) {
        const { operator, classId } = data;
        const teacher = await data.createAccount();
        const params = await openCourse(data, teacher, classId);
        const staffName = `Prof. ${randomUUID().slice(0, 8)}`;
        await teacher.call('linkCourse', { params, body: { classId, staffName } });
        const { proposals } = await operator.call('listProposals', {});
        const proposal = proposals.find((candidate) => candidate.staffName === staffName);
        return { client: operator, roleId: proposal?.roleId };
      },
    },
    cost: { rowsRead: 26, rowsWritten: 9, kilobytesWritten: 40 },
    inADay: { rows: 200, megabytes: 1 },
  },
} satisfies FactsOf<typeof contract>;
