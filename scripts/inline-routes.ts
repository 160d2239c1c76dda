// Gives the browser the methods and paths of the calls without their schemas, which would bring the validator.
import type { Plugin } from 'vite';
import { routes } from '../src/contract/call-routes.ts';

export function inlineRoutes(): Plugin {
  return {
    name: 'inline-routes',
    transform: {
      filter: { id: /contract\/call-routes\.ts$/ },
      handler: () => `export const routes = ${JSON.stringify(routes)};`,
    },
  };
}
