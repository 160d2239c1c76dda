// Lectures: for some hours, the questions of a class have a place of their own, and staff show them on the computer of the hall
// (presenter-links.ts) and print them afterwards. New questions can wait until staff release them. The lecture is a part of the
// settings of the class.
import type { Feature, Server } from '#server/feature.ts';
import { registerLectureRoutes } from './routes.ts';
import { registerWaitingRoutes } from './waiting-routes.ts';

export function createLectures(server: Pick<Server, 'db' | 'site'>): Feature {
  return {
    routes(route) {
      registerLectureRoutes(route, server);
      registerWaitingRoutes(route, server);
    },
  };
}
