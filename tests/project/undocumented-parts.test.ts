// The parts of libraries that the code uses although the libraries do not document them. If an update changes one, its
// line fails here before anything stranger does. A new one needs a line.
import { type Line, parser } from '@lezer/markdown';
import SQLite from 'better-sqlite3';
import hljs from 'highlight.js/lib/core';
import json from 'highlight.js/lib/languages/json';
import { Kysely } from 'kysely';
import pg from 'pg';
import { type Metric, Registry } from 'prom-client';
import { UNSAFE_createBrowserHistory as createHistory } from 'react-router';
import temml from 'temml';
import { expect, test } from 'vitest';
import { createSqliteDialect } from '#server/store/dialects/sqlite.ts';

test('React Router exports its history of the browser (web/ui/navigation.tsx)', () => {
  expect(createHistory).toBeTypeOf('function');
});

test('Temml exports its two trees (web/markup/formula.ts)', () => {
  const { __parse: parse, __renderToMathMLTree: render } = temml;

  expect(parse('x^2', {})).toMatchObject([{ type: 'supsub' }]);
  expect(render('x^2', {})).toMatchObject({ type: 'math', children: expect.any(Array) as object });
});

test('highlight.js keeps the tree of its emitter (web/markup/highlight.ts)', () => {
  hljs.registerLanguage('json', json);

  const { _emitter: emitter } = hljs.highlight('{"a": 1}', { language: 'json' });

  const { root } = emitter as unknown as { root: { children: object[] } };
  expect(root.children).toContainEqual({ scope: 'number', children: ['1'] });
});

test('Lezer tells how deep a line begins inside of quotes and lists (web/markup/block-context.ts)', () => {
  const depths: number[] = [];
  const observer = {
    name: 'Observer',
    endLeaf(_: unknown, line: Line) {
      depths.push((line as Line & { depth: number }).depth);
      return false;
    },
  };

  parser.configure({ parseBlock: [observer] }).parse('> a\n> b\nc');

  expect(depths).toEqual([2, 1]);
});

test('pg has the socket and the session of a client (server/store/dialects)', () => {
  const client = new pg.Client() as unknown as {
    processID: unknown;
    connection: { stream: { destroy(): void } };
  };

  expect(client.processID).toBeNull();
  expect(client.connection.stream.destroy).toBeTypeOf('function');
});

test('Kysely has one adapter for a database and its transactions (server/store/prepare-query.ts)', async () => {
  const db = new Kysely({ dialect: createSqliteDialect(new SQLite(':memory:')) });
  const { adapter } = db.getExecutor();

  expect(adapter).toHaveProperty('runNow');
  await db.transaction().execute(async (transaction) => {
    expect(transaction.getExecutor().adapter).toBe(adapter);
    return Promise.resolve();
  });
  await db.destroy();
});

test('prom-client serves a metric that is only an object (server/base/metrics.ts)', async () => {
  const registry = new Registry();
  const metric = { name: 'waiting', help: 'Waiting.', type: 'histogram' };
  const values = [{ metricName: 'waiting_sum', labels: {}, value: 7 }];

  registry.registerMetric({
    ...metric,
    get: async () => Promise.resolve({ ...metric, values }),
  } as unknown as Metric);

  expect(await registry.metrics()).toContain('waiting_sum 7');
});
