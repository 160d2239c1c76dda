// The method and the path of each call, from its definition.
import { calls, type RouteName } from './http.ts';

export type { RouteName };

export const routes = Object.fromEntries(
  Object.entries(calls).map(([name, { route }]) => {
    const [method = '', path = ''] = route.split(' ');
    return [name, { method, path }];
  }),
) as Record<RouteName, { method: string; path: `/${string}` }>;
