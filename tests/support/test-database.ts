// The database of one test file: a SQLite file, or its own database in the PostgreSQL run.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import pg from 'pg';

type Row = Record<string, unknown>;

export interface TestDatabase {
  /** The settings that make a server use it. */
  readonly settings: { DATA_DIR: string; DATABASE_URL?: string; SECRET_KEY?: string };
  query(sql: string): Promise<Row[]>;
  /** All rows, by table name. */
  tables(): Promise<Record<string, Row[]>>;
  /** All content as one text. For SQLite these are the bytes of the files, which can hold more than the rows. */
  content(): Promise<string>;
  /** The bytes of the files of all tables and indexes, and of PostgreSQL's statistics, which have values of rows. */
  fileContent(): Promise<string>;
  /** Returns another database with the same content and key. No server may use this one. */
  copy(): Promise<TestDatabase>;
  /** Removes the database and the data folder. */
  drop(): Promise<void>;
}

/** The server works on a PostgreSQL database with any settings (START-22). */
const hostileSettings = [
  'synchronous_commit = off',
  "default_transaction_isolation = 'serializable'",
  'default_transaction_read_only = on',
  'search_path = nowhere',
  "DateStyle = 'German'",
  'standard_conforming_strings = off',
  // The server sets its own timeouts when it opens a connection, which takes a while on a busy machine.
  'idle_session_timeout = 3000',
  'idle_in_transaction_session_timeout = 3000',
  'statement_timeout = 3000',
  'lock_timeout = 50',
];
export async function createTestDatabase(
  server = process.env['BACKCHANNEL_TEST_DATABASE'],
): Promise<TestDatabase> {
  return server ? createOnPostgres(server) : openFileDatabase(createDataFolder());
}

export function createDataFolder(): string {
  return mkdtempSync(join(tmpdir(), 'backchannel-test-'));
}

/** The SQLite database in this folder. */
export function openFileDatabase(dataDir: string): TestDatabase {
  async function query(sql: string): Promise<Row[]> {
    const file = new SQLite(join(dataDir, 'backchannel.sqlite'));
    const statement = file.prepare<[], Row>(sql);
    const rows = statement.reader ? statement.all() : [];
    if (!statement.reader) statement.run();
    file.close();
    return rows;
  }
  async function loadContent(): Promise<string> {
    return readdirSync(dataDir)
      .filter((file) => /^backchannel\.sqlite(-wal)?$/.test(file))
      .map((file) => readFileSync(join(dataDir, file), 'latin1'))
      .join('');
  }
  return {
    settings: { DATA_DIR: dataDir },
    query,
    tables: () => loadTables(query, "select name from sqlite_schema where type = 'table'"),
    content: loadContent,
    fileContent: loadContent,
    async copy() {
      const folder = createDataFolder();
      for (const file of ['backchannel.sqlite', 'server.key']) {
        copyFileSync(join(dataDir, file), join(folder, file));
      }
      return openFileDatabase(folder);
    },
    async drop() {
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** @param original the database that this one is a copy of */
async function createOnPostgres(
  server: string,
  original = { name: 'template1', secret: randomBytes(32).toString('base64url') },
): Promise<TestDatabase> {
  const { secret } = original;
  const dataDir = createDataFolder();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(server);
  url.pathname = name;
  await queryPostgres(
    server,
    `create database ${name} template ${original.name}`,
    ...hostileSettings.map((setting) => `alter database ${name} set ${setting}`),
  );

  /** The connection of all queries, because opening one costs PostgreSQL more than most queries. */
  let connection: Promise<pg.Client> | undefined;
  // A test may end the connection, or PostgreSQL.
  const forget = () => (connection = undefined);
  async function connect(): Promise<pg.Client> {
    const client = await connectToPostgres(url.href);
    return client.on('error', forget).on('end', forget);
  }
  async function query(sql: string): Promise<Row[]> {
    connection ??= connect().catch((error: unknown) => {
      forget();
      throw error;
    });
    return (await (await connection).query<Row>(sql)).rows;
  }
  const loadAllTables = () =>
    loadTables(query, "select tablename as name from pg_tables where schemaname = 'public'");
  return {
    settings: {
      DATA_DIR: dataDir,
      DATABASE_URL: url.href,
      SECRET_KEY: secret,
    },
    query,
    tables: loadAllTables,
    content: async () => JSON.stringify(await loadAllTables()),
    async fileContent() {
      // Writes the pages in memory to the files.
      await query('checkpoint');
      const files = await query(
        `select pg_read_binary_file(pg_relation_filepath(oid)) as bytes from pg_class
         where relkind in ('r', 'i', 't')
         and (relnamespace in ('public'::regnamespace, 'pg_toast'::regnamespace) or relname = 'pg_statistic')`,
      );
      return files.map(({ bytes }) => (bytes as Buffer).toString('latin1')).join('');
    },
    async copy() {
      // PostgreSQL copies no database that has connections.
      await (await connection)?.end();
      return createOnPostgres(server, { name, secret });
    },
    async drop() {
      await queryPostgres(server, `drop database ${name} with (force)`);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The text as a literal of SQL. */
export function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Overrides the settings of the database that would disturb the queries of the tests. */
export async function connectToPostgres(url = ''): Promise<pg.Client> {
  const settings = {
    default_transaction_isolation: String.raw`read\ committed`,
    default_transaction_read_only: 'off',
    search_path: 'public',
    datestyle: 'ISO',
    // The rows that a test has written survive a crash.
    synchronous_commit: 'on',
    statement_timeout: 0,
    lock_timeout: 0,
    idle_session_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const client = new pg.Client({ connectionString: url, options: options.join(' ') });
  await client.connect();
  return client;
}

async function queryPostgres(url: string, ...statements: string[]): Promise<void> {
  const client = await connectToPostgres(url);
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function loadTables(
  query: TestDatabase['query'],
  namesQuery: string,
): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  for (const { name } of await query(namesQuery)) {
    tables[String(name)] = await query(`select * from "${String(name)}"`);
  }
  return tables;
}
