// Gives the browser the methods and paths of the calls without their schemas, which would bring the validator. Each module
// brings those of the calls that it names, so that no screen loads the paths of all others.
import type { Plugin } from 'vite';
import { routes } from '../../src/contract/call-routes.ts';

/** A text, the key of an object, or a part of `routes`. A word that only looks like the name of a call does no harm. */
const mention = /(["'`])(?<text>\w+)\1|(?<key>\w+):|\broutes\.(?<part>\w+)/g;

export function inlineRoutes(): Plugin {
  return {
    name: 'inline-routes',
    transform: {
      filter: { id: [/contract\/call-routes\.ts$/, /\/src\/web\/.*\.tsx?$/] },
      handler: (code, id) =>
        id.endsWith('/call-routes.ts') ? 'export const routes = {};' : addNamedRoutes(code),
    },
  };
}

function addNamedRoutes(code: string): string | undefined {
  const words = new Set(
    [...code.matchAll(mention)].map(({ groups = {} }) => groups.text ?? groups.key ?? groups.part),
  );
  const named = Object.entries(routes).filter(([name]) => words.has(name));
  if (named.length === 0) return undefined;
  const table = JSON.stringify(Object.fromEntries(named));
  return `${code}\nimport { routes as allRoutes } from '#contract/call-routes.ts';\nObject.assign(allRoutes, ${table});`;
}
