// What a thief has: a copy of the database, without the server key. It is read by the catalogue, so that new tables are covered.

/** Where something tells an order. Numbers of different groups, such as pages, have no order. */
export interface Place {
  group: number;
  at: number;
}

export interface StolenRow {
  values: Readonly<Record<string, unknown>>;
  /** By what tells the order: 'place on the page', 'transaction', … */
  places: Record<string, Place>;
}

/** Bytes of a file that belong to one table or its indexes. The table is '' if they belong to none. */
export interface Region {
  file: string;
  table: string;
  bytes: Buffer;
}

export interface StolenCopy {
  tables: ReadonlyMap<string, readonly StolenRow[]>;
  regions: readonly Region[];
}
