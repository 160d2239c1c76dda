// Streams the account's own data as a file. The file may be long, so each part is checked against
// its allow-list separately.
import type { KeyObject } from 'node:crypto';
import type { z } from 'zod';
import {
  exportedAccountSchema,
  exportedClassSchema,
  exportedMessageSchema,
  exportedReactionSchema,
} from '#contract/account.ts';
import { routes } from '#contract/routes.ts';
import type { Devices } from '../accounts/devices.ts';
import { createdDayOf, ownClasses, type OwnClass } from '../domain/account-export.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { ReplyNotAllowed, type Route } from './route.ts';

interface Parts {
  devices: Devices;
  db: Database;
  personaKey: KeyObject;
  log: Log;
}

export function accountExportRoute(route: Route, { devices, db, personaKey, log }: Parts): void {
  route('exportAccount', 'signedIn', async ({ account }) => {
    const signedIn = await devices.list(account);
    const head = checked(exportedAccountSchema, {
      email: account.email,
      createdDay: await createdDayOf(db, account.id),
      devices: signedIn.map((device) => pick(['name', 'signedInDay'], device)),
    });
    const text = fileText(head, ownClasses(db, personaKey, account.id), log);
    return new Response(streamOf(text), {
      headers: {
        'content-type': 'application/json; charset=UTF-8',
        'content-disposition': 'attachment; filename="my-data.json"',
      },
    });
  });
}

async function* fileText(
  head: string,
  classes: AsyncIterable<OwnClass>,
  log: Log,
): AsyncGenerator<string> {
  try {
    yield `${head.slice(0, -1)},"classes":[`;
    let between = '\n';
    for await (const own of classes) {
      const { messages, reactions, joinedDay, persona, ...named } = own;
      const row = checked(exportedClassSchema, {
        ...named,
        joinedDay: joinedDay === null ? null : dayFrom(joinedDay),
        persona: persona && pick(exportedPersona, persona),
      });
      yield `${between}${row.slice(0, -1)},"messages":[`;
      yield* listText(exportedMessageSchema, messages, (message) => pick(messageFields, message));
      yield '],"reactions":[';
      yield* listText(exportedReactionSchema, reactions, ({ id, emoji }) => {
        return { messageId: id, emoji };
      });
      yield ']}';
      between = ',\n';
    }
    yield '\n]}\n';
  } catch (error) {
    // The response has already started. It breaks off, and the browser reports the failure.
    log.error('request.failed', { error, route: routes.exportAccount.path });
    throw error;
  }
}

/** Produces text only as fast as the client reads it. */
function streamOf(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await text.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await text.return(undefined);
    },
  });
}

const exportedPersona = ['memberId', 'anonymousName', 'icon'] as const;
const messageFields = ['id', 'text', 'createdAt', 'editedAt', 'replyTo'] as const;

async function* listText<Row>(
  schema: z.ZodType,
  pages: AsyncIterable<Row[]>,
  toEntry: (row: Row) => object,
): AsyncGenerator<string> {
  let between = '\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield between + rows.map((row) => checked(schema, toEntry(row))).join(',\n');
    between = ',\n';
  }
}

function pick<Row extends object, Key extends keyof Row>(
  keys: readonly Key[],
  row: Row,
): Pick<Row, Key> {
  return Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<Row, Key>;
}

function checked(schema: z.ZodType, value: object): string {
  const known = schema.safeParse(value);
  if (!known.success) throw new ReplyNotAllowed('exportAccount');
  return JSON.stringify(known.data);
}

function dayFrom(days: number): string {
  return new Date(days * 86_400_000).toISOString().slice(0, 10);
}
