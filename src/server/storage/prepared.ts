// Queries that are built once and run many times: what a message passes through is not compiled anew.
import type { CompiledQuery, DialectAdapter } from 'kysely';
import type { Database } from './database.ts';

/** An engine in this process, which needs no promise to answer. */
export interface InProcessEngine extends DialectAdapter {
  /** @returns null where the query has to wait, because another transaction is open */
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
 * @param build gives the query; each parameter that it reads becomes a place to fill in
 * @returns the query as a function. The SQL is kept for the first database that it is run on.
 */
export function prepared<Params extends object, Row>(
  build: (db: Database, params: Params) => Compilable<Row>,
): (db: Database, params: Params) => Row[] | Promise<Row[]> {
  const compiledFor = new WeakMap<object, CompiledQuery<Row>>();
  const places = new Proxy({} as Params, { get: (_, name) => new Placeholder(String(name)) });

  return (db, params) => {
    // One per engine and opened database: a transaction has the same one as what it is part of.
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
