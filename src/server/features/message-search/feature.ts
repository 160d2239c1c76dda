// The search in the messages of a class, which reads their texts from the newest on (decision 32).
import type { Feature, Server } from '#server/feature.ts';
import { registerMessageSearchRoutes } from './routes.ts';

export function createMessageSearch(server: Pick<Server, 'db' | 'site'>): Feature {
  return { routes: (route) => registerMessageSearchRoutes(route, server) };
}
