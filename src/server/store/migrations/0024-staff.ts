import { sql, type Kysely } from 'kysely';
import type { EngineTypes } from './engine-types.ts';

export async function up(db: Kysely<unknown>, { unordered }: EngineTypes) {
  await db.schema
    .alterTable('personas')
    .addColumn('staff', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  // An account can have several roles in a class: an instructor may moderate it, too.
  await db.schema.alterTable('roles').renameTo('rolesBefore').execute();
  await db.schema
    .createTable('roles')
    .addColumn('accountId', 'text', (c) =>
      c.notNull().references('accounts.id').onDelete('cascade'),
    )
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('staffName', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('roles_of_account', ['accountId', 'classId', 'role'])
    .modifyEnd(unordered)
    .execute();
  await sql`insert into roles ("accountId", "classId", role, "staffName")
          select "accountId", "classId", role, "staffName" from "rolesBefore"`.execute(db);
  await db.schema.dropTable('rolesBefore').execute();
}
