// Queries that are compiled once and run many times, for the hot path of messages.
import type { CompiledQuery, DialectAdapter } from 'kysely';
import type { Database } from './database.ts';

/** An engine in this process, which can answer synchronously. */
export interface InProcessEngine extends DialectAdapter {
  /** @returns null if another transaction is open, so that the query must wait */
  runNow(sql: string, parameters: readonly unknown[], inTransaction: boolean): unknown[] | null;
}

class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/**
 * @param build builds the query; each parameter that it reads becomes a placeholder
 * @returns the query as a function; each engine compiles the SQL once
 */
export function prepared<Params extends object, Row>(
  build: (db: Database, params: Params) => Compilable<Row>,
): (db: Database, params: Params) => Row[] | Promise<Row[]> {
  const compiledFor = new WeakMap<object, CompiledQuery<Row>>();
  const places = new Proxy({} as Params, { get: (_, name) => new Placeholder(String(name)) });

  return (db, params) => {
    // The adapter identifies the opened database. A transaction shares the adapter of its database.
    const engine: DialectAdapter & Partial<InProcessEngine> = db.getExecutor().adapter;
    let compiled = compiledFor.get(engine);
    if (!compiled) {
      compiled = build(db, places).compile();
      compiledFor.set(engine, compiled);
    }
    const values = params as Record<string, unknown>;
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? values[value.name] : value,
    );
    const now = engine.runNow?.(compiled.sql, parameters, db.isTransaction);
    if (now) return now as Row[];
    return db.executeQuery<Row>({ ...compiled, parameters }).then(({ rows }) => rows);
  };
}
