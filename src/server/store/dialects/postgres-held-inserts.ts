// Group commit with one statement per table: a transaction holds back its inserts of log entries and messages, and sends all
// rows of a table together, before the first statement that could see them and at the latest before the commit (decision 10).
import { noteStatement, runForOthers } from '#server/store/written.ts';
import { TimedClient } from './postgres-client.ts';

type Row = readonly unknown[];
interface Reply {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}
type Send = (text: string, values: Row) => Promise<Reply>;

/**
 * The tables whose inserts are held. No row of another table refers to their rows, so the order between tables does not matter.
 */
const heldTables = ['log', 'messages'] as const;
const tables = heldTables.join('|');
const insertOfOneRow = new RegExp(
  `^insert into "(${tables})" \\(([^()]+)\\) values \\(\\$\\d+(?:, \\$\\d+)*\\)$`,
);
const mentionsTable = new RegExp(`\\b(?:${tables})\\b`);
const lookup = new RegExp(
  `^select \\* from "(${tables})" where ("\\w+" = \\$\\d+(?: and "\\w+" = \\$\\d+)*)$`,
);

/** PostgreSQL allows 65,535 parameters in a statement. */
const maxHeldRows = 500;

interface HeldRows {
  start: string;
  columns: string[];
  rows: Row[];
}

/** @param send sends a statement to PostgreSQL; PostgreSQL replies in the order in which statements were sent */
export function holdInserts(send: Send): Send {
  let isInTransaction = false;
  let rowsByStatement = new Map<string, HeldRows>();

  /** Sends all held rows before the first reply, so that no statement of a caller comes between them. */
  async function flush(): Promise<void> {
    const batches = [...rowsByStatement.values()];
    rowsByStatement = new Map();
    await runForOthers(() =>
      Promise.all(
        batches.map(({ start, columns, rows }) =>
          send(`${start} values ${formatPlaceholders(rows.length, columns.length)}`, rows.flat()),
        ),
      ),
    );
  }

  function hold(table: string, columnList: string, row: Row): HeldRows {
    const start = `insert into "${table}" (${columnList})`;
    const heldRows = rowsByStatement.get(start) ?? {
      start,
      columns: columnList.split(', '),
      rows: [],
    };
    heldRows.rows.push(row);
    rowsByStatement.set(start, heldRows);
    return heldRows;
  }

  /** Tells whether the held rows could change the result of a statement. If that is unclear, they could. */
  function needsHeldRows(text: string, values: Row): boolean {
    if (!/^(?:select|insert|update) /.test(text)) return true;
    if (!mentionsTable.test(text)) return false;
    const [, table = '', conditions = ''] = lookup.exec(text) ?? [];
    const valuesByColumn = new Map(
      [...conditions.matchAll(/("\w+") = \$(\d+)/g)].map(([, column = '', number]) => [
        column,
        values[Number(number) - 1],
      ]),
    );
    if (valuesByColumn.size === 0) return true;
    return [...rowsByStatement.values()].some(
      ({ start, columns, rows }) =>
        start.startsWith(`insert into "${table}" `) &&
        rows.some((row) =>
          columns.every(
            (column, i) => !valuesByColumn.has(column) || valuesByColumn.get(column) === row[i],
          ),
        ),
    );
  }

  return async (text, values) => {
    if (/^(?:begin|start transaction)/.test(text)) isInTransaction = true;
    if (!isInTransaction) return send(text, values);
    const [, table, columnList] = insertOfOneRow.exec(text) ?? [];
    if (table && columnList) {
      noteStatement(text);
      const { rows } = hold(table, columnList, values);
      if (rows.length === maxHeldRows) await flush();
      return { command: 'INSERT', rowCount: 1, rows: [] };
    }
    // A savepoint sends the held rows, so all rows that are held now belong to the part that is rolled back.
    if (text.startsWith('rollback')) rowsByStatement.clear();
    else if (rowsByStatement.size > 0 && needsHeldRows(text, values)) await flush();
    if (text === 'rollback' || text === 'commit') isInTransaction = false;
    return send(text, values);
  };
}

/** Formats placeholders such as `($1, $2), ($3, $4)`. */
function formatPlaceholders(rowCount: number, columnCount: number): string {
  return Array.from({ length: rowCount }, (_, row) => {
    const placeholders = Array.from(
      { length: columnCount },
      (_placeholder, column) => `$${row * columnCount + column + 1}`,
    );
    return `(${placeholders.join(', ')})`;
  }).join(', ');
}

/** The client of a server, which groups inserts. Commands that move data use a client that sends each statement as it is. */
export class HoldingClient extends TimedClient {
  constructor(config: ConstructorParameters<typeof TimedClient>[0]) {
    super(config);
    this.query = holdInserts(this.query.bind(this)) as typeof this.query;
  }
}
