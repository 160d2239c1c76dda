import { routes, type RouteName } from './routes.ts';

interface UrlParts {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
}

/** Builds the path and query of one call. Undefined query values are omitted. */
export function routeUrl(name: RouteName, { params = {}, query = {} }: UrlParts): string {
  const path = routes[name].path.replace(/:(\w+)/g, (_, param: string) =>
    encodeURIComponent(params[param] ?? ''),
  );
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return search.length > 0 ? `${path}?${search.join('&')}` : path;
}
