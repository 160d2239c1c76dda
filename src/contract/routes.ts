// The addresses of the server. The build puts the values of call-routes.ts where they are used (scripts/web-build/inline-routes.ts), so
// that the browser bundle needs no validator.
import { routes, type RouteName } from './call-routes.ts';

export { routes, type RouteName };

interface UrlParts {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** Builds the path and query of one call. Undefined query values are omitted. */
export function toRouteUrl(name: RouteName, { params = {}, query = {} }: UrlParts): string {
  const path = routes[name].path.replace(/:(\w+)/g, (_, param: string) =>
    encodeURIComponent((params[param] ?? '').toWellFormed()),
  );
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value).toWellFormed())}`);
  return search.length > 0 ? `${path}?${search.join('&')}` : path;
}

/** The path prefix of all pictures. Only members of a picture's class can load it. */
export const imagesPath = '/images/'; // SEND-18

/** The path prefix of pictures in evidence. Only moderators of the case's class can load them. */
export const evidencePath = '/images/cases/'; // MOD-9
