// Streams the data of an account to its owner as a file. The file may be long, so each part is validated separately against
// its allow-list.
import type { z } from 'zod';
import {
  exportedAccountSchema,
  exportedClassSchema,
  exportedMessageSchema,
  exportedReactionSchema,
  exportedReportSchema,
  exportedSanctionSchema,
} from '#contract/account.ts';
import { routes } from '#contract/routes.ts';
import { defaultSettings } from '#server/accounts/account-records.ts';
import { toDate, formatDay } from '#server/base/days.ts';
import { listExportedClasses, type ExportedClass, type OwnMessage } from './account-export.ts';
import { listOwnSanctions } from '#server/features/moderation/sanctions/own-sanctions.ts';
import type { Log } from '#server/base/log.ts';
import type { Server } from '#server/feature.ts';
import type { AuthoredReaction } from '#server/chat/messages/authored-content-queries.ts';
import { toPictures } from '#server/chat/attachments/attachment-queries.ts';
import type { StoredPoll } from '#server/chat/messages/messages-queries.ts';
import { toPersona } from '#server/chat/members/personas-queries.ts';
import { createTurns } from '#server/base/turns.ts';
import { getFactor } from '#server/features/second-factor/stored-factors.ts';
import type { Account } from '#server/http/caller.ts';
import { serializeReply, type Route } from '#server/http/route.ts';

export function registerAccountExportRoute(route: Route, server: Server): void {
  route('exportAccount', ({ account }) => createExportReply(server, account));
}

export async function createExportReply(
  server: Server,
  account: Pick<Account, 'id' | 'email' | 'sessionId'>,
): Promise<Response> {
  const { accounts, accountRecords, db, suspendedAccounts, log } = server;
  const sanctions = await listOwnSanctions(server, suspendedAccounts, account);
  const suspensions = sanctions.filter(({ kind }) => kind === 'suspension');
  const signedInDevices = await accounts.devices.list(account);
  const stored = await accountRecords.findById(db, account.id);
  const { passkeys } = await getFactor(server, account.id);
  const head = serialize(exportedAccountSchema, {
    email: account.email,
    createdDay: stored ? formatDay(toDate(stored.createdDay)) : '',
    language: stored?.language ?? null,
    devices: signedInDevices.map((device) => pick(['name', 'signedInDay', 'notified'], device)),
    passkeys: passkeys.map(({ name }) => name),
    suspensions: suspensions.map((suspension) => pick(sanctionFields, suspension)),
    notifications: stored?.settings ?? defaultSettings,
  });
  const classes = listExportedClasses(server, account.id, sanctions);
  const text = streamText(head, classes, log);
  return new Response(toStream(text), {
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'content-disposition': 'attachment; filename="my-data.json"',
    },
  });
}

async function* streamText(
  head: string,
  classes: AsyncIterable<ExportedClass>,
  log: Log,
): AsyncGenerator<string> {
  // All classes share one turn counter, because most classes have few messages.
  const takeTurn = createTurns();
  try {
    yield `${head.slice(0, -1)},"classes":[`;
    let separator = '\n';
    for await (const exportedClass of classes) {
      const { messages, reactions, reports, sanctions, joinedDay, ...rest } = exportedClass;
      const { persona, staffPersona, ...classFields } = rest;
      const row = serialize(exportedClassSchema, {
        ...classFields,
        joinedDay: joinedDay === null ? null : formatDay(toDate(joinedDay)),
        persona: persona && toPersona(persona),
        staffPersona: staffPersona && toPersona(staffPersona),
      });
      yield `${separator}${row.slice(0, -1)},"messages":[`;
      yield* listText(exportedMessageSchema, messages, toExportedMessage, takeTurn);
      yield '],"reactions":[';
      yield* listText(exportedReactionSchema, reactions, toExportedReaction, takeTurn);
      yield '],"reports":[';
      yield reports.map((report) => serialize(exportedReportSchema, report)).join(',\n');
      yield '],"sanctions":[';
      yield sanctions
        .map((sanction) => serialize(exportedSanctionSchema, pick(sanctionFields, sanction)))
        .join(',\n');
      yield ']}';
      await takeTurn();
      separator = ',\n';
    }
    yield '\n]}\n';
  } catch (error) {
    // The response has already started, so it breaks off, and the browser reports the failure.
    log.error('request.failed', { error, route: routes.exportAccount.path });
    throw error;
  }
}

/** Produces text only as fast as the client reads it. */
function toStream(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
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

const sanctionFields = ['kind', 'until', 'reason', 'day', 'active', 'appeal', 'staff'] as const;
const messageFields = ['id', 'text', 'createdAt', 'editedAt', 'replyTo'] as const;

function toExportedMessage(row: OwnMessage): object {
  const { images } = toPictures(row.images);
  return {
    ...pick(messageFields, row),
    ...(row.staff && { staff: row.staff }),
    ...(row.topic !== undefined && { topic: row.topic }),
    ...(row.votes !== null && { question: true }),
    ...(row.poll !== null && { poll: JSON.parse(row.poll) as StoredPoll }),
    images: images.map((image) => pick(['imageUrl', 'pdfUrl', 'alt'], image)),
  };
}

function toExportedReaction({ id, emoji }: AuthoredReaction): object {
  return { messageId: id, emoji };
}

async function* listText<Row>(
  schema: z.ZodType,
  pages: AsyncIterable<Row[]>,
  toEntry: (row: Row) => object,
  takeTurn: () => Promise<void>,
): AsyncGenerator<string> {
  let separator = '\n';
  for await (const rows of pages) {
    for (const row of rows) {
      yield separator + serialize(schema, toEntry(row));
      separator = ',\n';
      await takeTurn();
    }
  }
}

function pick<Row extends object, Key extends keyof Row>(
  keys: readonly Key[],
  row: Row,
): Pick<Row, Key> {
  return Object.fromEntries(keys.map((key) => [key, row[key]])) as Pick<Row, Key>;
}

const serialize = (schema: z.ZodType, value: object): string =>
  serializeReply('exportAccount', schema, value);
