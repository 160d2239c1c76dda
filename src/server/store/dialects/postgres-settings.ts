// The settings of PostgreSQL that the server depends on. `ALTER DATABASE`, `ALTER ROLE` and postgresql.conf may say
// something else, so each session sets its own, and the start checks those that no session can set.
import type pg from 'pg';

export const statementTimeoutMs = 3_000;
/** PostgreSQL releases a transaction's locks if the connection to the server is lost. */
const idleInTransactionMs = 10_000;

const sessionSettings = {
  // A commit that is acknowledged is on the disk.
  synchronous_commit: 'on',
  // A change waits for locks, and then sees what was committed meanwhile.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  search_path: '"$user", public',
  DateStyle: 'ISO',
  standard_conforming_strings: 'on',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  lock_timeout: '0',
  // PostgreSQL detects a lost connection after 30 seconds.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
};

function createSessionStatement(timeoutMs: { statement: number; idleInTransaction: number }) {
  const settings = {
    ...sessionSettings,
    statement_timeout: timeoutMs.statement,
    idle_in_transaction_session_timeout: timeoutMs.idleInTransaction,
  };
  const rows = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  // Older versions lack some settings. A value like 'remote_apply' stays: it is stricter than 'on', because it also waits for a
  // standby.
  return `
    select set_config(name, value, false) from (values ${rows.join(', ')}) as wanted (name, value)
    where current_setting(name, true) is not null
    and not (name = 'synchronous_commit' and current_setting(name) like 'remote%')`;
}

const withTimeouts = createSessionStatement({
  statement: statementTimeoutMs,
  idleInTransaction: idleInTransactionMs,
});
const withoutTimeouts = createSessionStatement({ statement: 0, idleInTransaction: 0 });

/** Settings are sent after connecting, because pgbouncer rejects them in the startup message. */
export async function prepareSession(client: pg.ClientBase, hasTimeouts: boolean): Promise<void> {
  await client.query(hasTimeouts ? withTimeouts : withoutTimeouts);
}

const unsafeSettings = `
  select name from (values ('fsync'), ('full_page_writes')) as needed (name)
  where current_setting(name) = 'off'`;
/** The schema of the tables, if the server would not find them there. */
const hiddenSchema = `
  select nspname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relname = 'serverMetadata' and relkind = 'r' and to_regclass('"serverMetadata"') is null`;

/**
 * @param query sends a statement in a session that `prepareSession` prepared
 * @returns why a server cannot use this PostgreSQL: sentences that say what to change
 */
export async function findPostgresProblems(
  query: (text: string) => Promise<{ rows: unknown[] }>,
): Promise<string[]> {
  const listNames = async (text: string) => {
    const { rows } = await query(text);
    return (rows as { name: string }[]).map(({ name }) => name);
  };
  const problems = (await listNames(unsafeSettings)).map(
    (name) =>
      `PostgreSQL runs with ${name} = off, so a crash of its machine loses or damages saved messages. Run in psql: alter system set ${name} = on; select pg_reload_conf();`,
  );
  const standbys = await listNames('select 1 as name where pg_is_in_recovery()');
  if (standbys.length > 0) {
    problems.push('DATABASE_URL leads to a standby, which saves nothing. Name the primary.');
  }
  for (const schema of await listNames(hiddenSchema)) {
    problems.push(
      `the tables are in the schema "${schema}", and the server looks in "public" and in the one named after its user. Move them, or create a user named after the schema.`,
    );
  }
  return problems;
}
