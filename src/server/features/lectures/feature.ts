// Lectures: for some hours, the questions of a class have a place of their own, and staff show them on the computer of the hall
// (presenter-links.ts, hall-codes.ts) and print them afterwards. New questions can wait until staff release them. The lecture is a part of the
// settings of the class.
import type { Feature, Server } from '#server/feature.ts';
import { ClassLetters } from './class-letters.ts';
import { HallCodes } from './hall-codes.ts';
import { registerLectureRoutes } from './routes.ts';
import { registerWaitingRoutes } from './waiting-routes.ts';

export function createLectures(
  server: Pick<Server, 'db' | 'keys' | 'roles' | 'commits' | 'limiter'>,
): Feature {
  return {
    routes(route) {
      const letters = new ClassLetters(server.db, server.keys.hallCodes);
      registerLectureRoutes(route, server, { letters, hallCodes: new HallCodes(server, letters) });
      registerWaitingRoutes(route, server.db, server.keys.personas);
    },
  };
}
