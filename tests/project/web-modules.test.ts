// The modules of the web and who may import whom: decision 94.
import { expect, test } from 'vitest';
import { findCircles, type Import, listFiles, loadImports } from './read-imports.ts';

/** What a module may import, besides itself, the contract and packages. */
const table: Readonly<Record<string, readonly string[]>> = {
  /** The files next to the modules, except main.tsx: calls, formats, stores, code on demand. */
  base: [],
  markup: ['base'],
  ui: ['base', 'markup'],
  'sync/engine': ['base'],
  'sync/outbox': ['base', 'sync/engine'],
  'sync/uploads': ['base', 'sync/engine', 'sync/outbox'],
  'sync/room': ['base', 'sync/engine', 'sync/outbox', 'sync/uploads'],
  'sync/offline': ['base', 'sync/engine', 'sync/room'],
  /** The client puts the modules of sync together. */
  sync: ['base', 'sync/engine', 'sync/outbox', 'sync/uploads', 'sync/room', 'sync/offline'],
  'service-worker': [],
  data: ['base', 'ui', 'sync', 'service-worker'],
  /** Each folder of features is a module: none may import another. */
  features: ['base', 'markup', 'ui', 'sync', 'data'],
  app: ['base', 'markup', 'ui', 'sync', 'service-worker', 'data', 'features'],
  dev: ['base', 'markup', 'ui', 'sync', 'data', 'features'],
  main: ['base', 'ui', 'data', 'app'],
};

/** Imports against the table. This list may only become shorter. */
const exceptions: readonly string[] = [];

/** @returns a key of the table, or `features/x` */
function toModule(file: string): string {
  const [first = '', second = ''] = file.split('/');
  if (file === 'main.tsx') return 'main';
  if (second === '') return 'base';
  const isDeep = first === 'features' || (first === 'sync' && file.split('/').length > 2);
  return isDeep ? `${first}/${second}` : first;
}

function isAllowed({ from, to }: Import): boolean {
  const module = toModule(from);
  const imported = toModule(to);
  if (module === imported) return true;
  const allowedAreas = table[module] ?? table[module.split('/')[0]!] ?? [];
  const area = module.startsWith('sync') ? imported : imported.split('/')[0]!;
  return allowedAreas.includes(area);
}

const imports = loadImports('web');
const describeImport = ({ from, to }: Import) => `${from} <- ${to}`;

test('every folder of the web is a module of the table', () => {
  const modules = new Set(listFiles('web').map(toModule));
  const isKnown = (module: string) => module in table || module.startsWith('features/');

  expect([...modules].filter((module) => !isKnown(module))).toEqual([]);
});

test('each file of the web imports only what its module may import, and no feature imports another', () => {
  const problems = imports.filter((item) => !isAllowed(item)).map(describeImport);

  expect([...new Set(problems)].toSorted()).toEqual(exceptions);
});

test('no files of the web import each other in a circle', () => {
  expect(findCircles(imports)).toEqual([]);
});

test('the check finds a circle of imports', () => {
  const planted = [
    { from: 'a.ts', to: 'b.ts' },
    { from: 'b.ts', to: 'c.ts' },
    { from: 'c.ts', to: 'b.ts' },
    { from: 'c.ts', to: 'd.ts' },
  ];

  expect(findCircles(planted)).toEqual([['b.ts', 'c.ts', 'b.ts']]);
});

test.each([
  [{ from: 'ui/icon.tsx', to: 'site.ts' }, true],
  [{ from: 'ui/icon.tsx', to: 'data/session.ts' }, false],
  [{ from: 'ui/formula.tsx', to: 'markup/formula.ts' }, true],
  [{ from: 'ui/icon.tsx', to: 'sync/room/room.ts' }, false],
  [{ from: 'markup/links.ts', to: 'ui/icon.tsx' }, false],
  [{ from: 'sync/engine/requests.ts', to: 'sync/room/room.ts' }, false],
  [{ from: 'sync/room/room.ts', to: 'sync/engine/requests.ts' }, true],
  [{ from: 'sync/room/room.ts', to: 'sync/live-client.ts' }, false],
  [{ from: 'sync/room/room.ts', to: 'ui/icon.tsx' }, false],
  [{ from: 'sync/live-client.ts', to: 'features/chat/chat.tsx' }, false],
  [{ from: 'data/session.ts', to: 'sync/room/room.ts' }, true],
  [{ from: 'data/session.ts', to: 'features/chat/chat.tsx' }, false],
  [{ from: 'features/chat/chat.tsx', to: 'features/chat/messages/message-list.tsx' }, true],
  [{ from: 'features/chat/chat.tsx', to: 'features/profile/profile-screen.tsx' }, false],
  [{ from: 'features/chat/messages/message-list.tsx', to: 'app/routing.tsx' }, false],
  [{ from: 'app/routing.tsx', to: 'features/chat/chat.tsx' }, true],
  [{ from: 'api.ts', to: 'data/session.ts' }, false],
])('the table of web modules says of the import %j: %s', (planted, expected) => {
  expect(isAllowed(planted)).toBe(expected);
});
