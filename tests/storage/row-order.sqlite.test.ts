import { expect, test } from 'vitest';
import { openStorage } from './opened-storage.ts';

test('no table with people has a rowid, which would reveal the order of insertion [ANON-7]', async () => {
  const storage = await openStorage();
  const tables = ['accounts', 'sessions', 'registers', 'personas', 'messages'];
  for (const name of [...tables, 'log', 'reactions']) {
    const definition = `select sql from sqlite_schema where type = 'table' and name = '${name}'`;
    const [table] = await storage.database.query(definition);
    expect(table?.['sql'], name).toMatch(/without rowid/i);
  }
  await storage.close();
});
