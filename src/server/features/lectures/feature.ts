// Lectures: for some hours, the questions of a class have a place of their own, and staff show them on the computer of the hall
// (presenter-links.ts, hall-codes.ts) and print them afterwards. New questions can wait until staff release them. The lecture is a part of the
// settings of the class.
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Feature, Server } from '#server/feature.ts';
import { ClassLetters } from './class-letters.ts';
import { HallCodes } from './hall-codes.ts';
import { startDueLectures } from './lecture-plan.ts';
import { registerPreparationRoutes } from './preparation-routes.ts';
import { registerLectureRoutes } from './routes.ts';
import { registerWaitingRoutes } from './waiting-routes.ts';

type Dependencies = Pick<Server, 'db' | 'commits' | 'keys' | 'roles' | 'lease' | 'log' | 'limiter'>;

/** How long after the begin of a class its lecture starts, at most. */
const startIntervalMs = 15_000; // LECT-26

export function createLectures(server: Dependencies): Feature {
  return {
    routes(route) {
      const letters = new ClassLetters(server.db, server.keys.hallCodes);
      registerLectureRoutes(route, server, { letters, hallCodes: new HallCodes(server, letters) });
      registerWaitingRoutes(route, server.db, server.keys.personas);
      registerPreparationRoutes(route, server);
    },
    start: () => startRepeating(() => startDueLectures(server), startIntervalMs),
  };
}
