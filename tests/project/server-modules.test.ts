// The modules of the server and who may import whom: decision 94.
import { expect, test } from 'vitest';
import { findCircles, type Import, listFiles, listImports, loadImports } from './read-imports.ts';

/** The modules from the bottom up: each imports only modules above its line, the contract and packages. */
const spine = [
  'base',
  'config',
  'store',
  'mail',
  'http',
  'accounts',
  'chat',
  'pictures',
  'live',
  'nodes',
  'commands',
  // What the server gives to features, and what they take part in.
  'feature.ts',
];
/** Above the whole spine. They never import each other. */
const features = 'features';
/** Above the features: what ends an account, a class or the key. */
const endings = 'endings';
/** The files next to the modules put everything together. */
const top = 'top';

/** Besides queries (`*-queries.ts`), only these know SQL. */
const knowSql = [
  'commands/run-on-database.ts',
  'endings/replace-key.ts',
  'features/backups/transfer/',
  'store/',
];

const files = listFiles('server');
const imports = loadImports('server');

/** @returns a name of the spine, `features/x`, `endings` or `top` */
function toModule(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (spine.includes(file)) return file;
  if (first === features) return second === '' ? top : `${features}/${second}`;
  return file.includes('/') ? first : top;
}

function toFloor(module: string): number {
  if (module === top) return spine.length + 2;
  if (module === endings) return spine.length + 1;
  if (module.startsWith(`${features}/`)) return spine.length;
  return spine.indexOf(module);
}

function isAllowed({ from, to }: Import): boolean {
  const module = toModule(from);
  const imported = toModule(to);
  return module === imported || toFloor(imported) < toFloor(module);
}

const describeImport = ({ from, to }: Import) => `${from} <- ${to}`;

test('every folder of the server is a module of the table', () => {
  const modules = new Set(files.map(toModule));

  expect([...modules].filter((module) => toFloor(module) < 0)).toEqual([]);
});

test('each file of the server imports only modules below its own, and no feature imports another', () => {
  const problems = imports.filter((item) => !isAllowed(item)).map(describeImport);

  expect(problems).toEqual([]);
});

test('no files of the server import each other in a circle', () => {
  expect(findCircles(imports)).toEqual([]);
});

test('only queries and the store know SQL', () => {
  const mayKnow = (file: string) =>
    file.endsWith('-queries.ts') || knowSql.some((path) => file.startsWith(path));
  const knowing = files.filter((file) => listImports('server', file).includes('kysely'));

  expect(knowing.filter((file) => !mayKnow(file))).toEqual([]);
});

test.each([
  [{ from: 'base/days.ts', to: 'store/database.ts' }, false],
  [{ from: 'chat/messages/messages.ts', to: 'live/hub.ts' }, false],
  [{ from: 'chat/messages/messages.ts', to: 'chat/members/member-ids.ts' }, true],
  [{ from: 'features/roles/routes.ts', to: 'features/moderation/reports/cases.ts' }, false],
  [{ from: 'features/roles/routes.ts', to: 'chat/staff/roles.ts' }, true],
  [{ from: 'chat/staff/roles.ts', to: 'features/roles/routes.ts' }, false],
  [{ from: 'endings/key-change.ts', to: 'features/roles/routes.ts' }, true],
  [{ from: 'features/roles/routes.ts', to: 'endings/key-change.ts' }, false],
  [{ from: 'store/queue.ts', to: 'app.ts' }, false],
  [{ from: 'features/roles/feature.ts', to: 'feature.ts' }, true],
  [{ from: 'features/roles/feature.ts', to: 'features.ts' }, false],
  [{ from: 'chat/staff/roles.ts', to: 'feature.ts' }, false],
])('the table of modules says of the import %j: %s', (planted, expected) => {
  expect(isAllowed(planted)).toBe(expected);
});
