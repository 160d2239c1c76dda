// Launches from learning platforms such as Canvas, Moodle, Blackboard and Brightspace, by LTI 1.3. A launch says which course, never
// who: who someone is, the session says. Off until an operator registers a platform (commands.ts).
import { randomInt } from 'node:crypto';
import { startRepeating } from '#server/base/start-repeating.ts';
import { listClassesWithLateJoins } from '#server/chat/classes/classes-queries.ts';
import { publishLateJoins } from '#server/chat/members/joining.ts';
import type { Feature, Server } from '#server/feature.ts';
import { registerCourseCalls } from './course-calls.ts';
import { createEndpoints } from './endpoints.ts';

const minuteMs = 60_000;
const meanDelayMinutes = 30; // LTI-16

export function createLti(server: Server): Feature {
  return {
    routes(route, app) {
      app.route('/', createEndpoints(server));
      registerCourseCalls(route, server);
    },
    start: () => startRepeating(() => publishSomeJoins(server), minuteMs),
  };
}

/**
 * A platform knows who opened a course, and when. So the member counts of classes that courses lead to grow late, at random. As no
 * time is stored, a copy of the database does not tell when.
 */
export async function publishSomeJoins({
  db,
  commits,
  lease,
  log,
}: Pick<Server, 'db' | 'commits' | 'log'> & {
  lease: Pick<Server['lease'], 'isHeld'>;
}): Promise<void> {
  if (!lease.isHeld()) return;
  try {
    const classIds = await listClassesWithLateJoins(db);
    for (const classId of classIds) {
      if (randomInt(meanDelayMinutes) > 0) continue;
      await commits.write((unitOfWork) => publishLateJoins(unitOfWork, classId), { classId });
    }
  } catch (error) {
    log.warn('publish.failed', { error });
  }
}
