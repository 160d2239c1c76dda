// What the files of an area import from one another, for the tests of its modules.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

export interface Import {
  from: string;
  to: string;
}

/** The names in all imports of a file: of packages, of other areas and of its own. */
export function listImports(area: string, file: string): string[] {
  const code = readFileSync(join(toPath(area), file), 'utf8');
  return [...code.matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g)].map(([, name]) => name!);
}

/** The files of `src/AREA`, without tests. */
export function listFiles(area: string): string[] {
  const files = globSync('**/*.{ts,tsx}', { cwd: toPath(area) });
  return files.filter((file) => !/\.test\.tsx?$|\btesting\//.test(file));
}

/** The imports between the files of an area: of types and on demand, too. */
export function loadImports(area: string): Import[] {
  return listFiles(area).flatMap((from) =>
    listImports(area, from).flatMap((name) => {
      const to = toOwnFile(area, from, name);
      return to === null ? [] : [{ from, to }];
    }),
  );
}

/** Files that import each other in a circle, one list for each circle. Depth-first search. */
export function findCircles(imports: readonly Import[]): string[][] {
  const imported = Map.groupBy(imports, ({ from }) => from);
  const finishedFiles = new Set<string>();
  const circles: string[][] = [];

  function visit(file: string, path: readonly string[]): void {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file]);
    if (finishedFiles.has(file)) return;
    for (const { to } of imported.get(file) ?? []) visit(to, [...path, file]);
    finishedFiles.add(file);
  }

  for (const file of imported.keys()) visit(file, []);
  return circles;
}

function toPath(area: string): string {
  return resolve(import.meta.dirname, '../../src', area);
}

/** @returns null for the contract and packages */
function toOwnFile(area: string, file: string, name: string): string | null {
  const alias = `#${area}/`;
  if (name.startsWith(alias)) return name.slice(alias.length);
  if (name.startsWith('.')) return normalize(join(dirname(file), name));
  return null;
}
