// Serves the calls of the contract: authentication, input validation and the reply's allow-list.
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { AppError, isErrorReason } from '#contract/errors.ts';
import { calls, type Call, type CallReply, type Http, type Who } from '#contract/http.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import { listPersonalFields, toPaddedJson } from '#server/base/personal-padding.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { Reader } from '#server/store/site.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { CallCommits } from './call-commits.ts';
import type { Account } from './caller.ts';
import type { Caller, CallLimits } from './call-limits.ts';

type Part<Name extends RouteName, Key extends string> =
  Http[Name] extends Record<Key, z.ZodType> ? z.output<Http[Name][Key]> : undefined;

type IfSignedIn<Name extends RouteName, Value> = Http[Name]['who'] extends 'anyone' | 'holder'
  ? null
  : Value;

interface Incoming<Name extends RouteName> {
  params: Part<Name, 'params'>;
  query: Part<Name, 'query'>;
  body: Part<Name, 'body'>;
  account: IfSignedIn<Name, Account>;
  caller: Caller;
  /** The request, for its headers, which take time to build, and for a raw body that has no schema. */
  request: Request;
  setCookies(cookies: readonly string[]): void;
  /** The queue of classes. A commit fails if the session has ended, the account is suspended, or its role has ended. */
  commits: IfSignedIn<Name, CallCommits>;
  /** The queue of accounts, with the same check. */
  accountCommits: IfSignedIn<Name, CallCommits>;
}

/** The calls whose handler writes the reply. `serializeReply` validates it. */
type Written = {
  [Name in RouteName]: Http[Name] extends { writesReply: true } ? Name : never;
}[RouteName];
type Reply<Name extends RouteName> = Name extends Written ? Response : CallReply<Name>;
type Limit = Extract<Http[RouteName], { limit: string }>['limit'];

export interface Authenticator {
  /** Returns the account of the session cookie in a request's `Cookie` header, or null. */
  authenticate(cookies: string | null): Promise<Account | null>;
  isSuspended(account: Account): boolean;
  /** Reads in a commit what may have changed since the call began. */
  readStanding(db: DatabaseTransaction, account: Account): Promise<Standing>;
  /**
   * Checks the right that `who` demands of the account's roles.
   *
   * @param classId the class that the path names
   * @returns the name of the role in the audit log; empty if the right does not come from a role
   * @throws {AppError} NOT_ALLOWED, NOT_FOUND
   */
  checkRole(reader: Reader, account: Account, who: Who, classId: string | null): Promise<string>;
  /**
   * Checks that this session has proved the second factor, if the account needs to.
   *
   * @throws {AppError} FACTOR_NEEDED, FACTOR_MISSING
   */
  checkFactor(
    account: Account,
    headers: Headers,
    factor: NonNullable<Call['factor']>,
  ): Promise<void>;
}

export type Standing = 'active' | 'suspended' | 'session ended';

/** Registers the handler of a call in one Hono app. */
export type Route = <Name extends RouteName>(
  name: Name,
  handle: (incoming: Incoming<Name>) => Promise<Reply<Name>>,
) => void;

const compiledReplies = new WeakMap<z.ZodType, z.ZodType>();

/** Compiles each schema only once: one process of tests starts many servers. */
function compileReply(schema: z.ZodType): z.ZodType {
  const compiled = compiledReplies.get(schema) ?? z.compile(schema, { strict: true });
  compiledReplies.set(schema, compiled);
  return compiled;
}

/** A reply that does not match its allow-list. The server does not send it. */
export class ReplyNotAllowed extends Error {
  override name = 'ReplyNotAllowed';
}

/** @throws {ReplyNotAllowed} */
export function serializeReply(name: Written, schema: z.ZodType, value: object): string {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new ReplyNotAllowed(name);
  return JSON.stringify(parsed.data);
}

/**
 * Checks run in the order of HTTP-2: 401, then 404 for the path, then 400, then the domain's
 * rules. The first rule is the right of the caller, which each commit checks again.
 */
export function createRoute(
  app: Hono,
  accounts: Authenticator,
  callLimits: CallLimits,
  {
    commits,
    accountCommits,
    isMaintenance,
    ...reader
  }: Reader & { commits: Commits; accountCommits: Commits; isMaintenance: () => boolean },
): Route {
  return (name, handle) => {
    const { method, path } = routes[name];
    const {
      who,
      limitCount = 1,
      paddedBytes = 1024,
      openToSuspended = false,
      factor,
      ...schemas
    }: Call = calls[name];
    const limit = schemas.limit as Limit | undefined;
    const needsSession = who !== 'anyone' && who !== 'holder';
    const allowedReply = compileReply(schemas.reply);
    const createCommits = createCallCommits(accounts, isMaintenance, { who, openToSuspended });
    let personalFields: string[] | null = null;

    async function authenticateRequest(context: Context): Promise<Account | null> {
      if (!needsSession) return null;
      const account = await accounts.authenticate(findCookieHeader(context));
      if (!account) throw new AppError('UNAUTHENTICATED');
      return account;
    }

    function checkSuspension(account: Account | null): void {
      if (account && !openToSuspended && accounts.isSuspended(account)) {
        throw new AppError('SUSPENDED');
      }
    }

    app.on(method, path, async (context) => {
      const account = await authenticateRequest(context);
      const caller = callLimits.getCaller(context, account);
      const request = context.req.raw;
      try {
        callLimits.admit(account, caller);
        checkSuspension(account);
        const params = schemas.params && parseParams(schemas.params, context.req.param());
        const query = schemas.query && parseInput(schemas.query, context.req.query());
        const body = schemas.body && parseInput(schemas.body, await parseBody(context));
        // The sender may hold back the end of the body until the session has ended, or the account is suspended.
        if (body) checkSuspension(await authenticateRequest(context));
        const incoming = {
          params,
          query,
          body,
          account,
          caller,
          request,
          commits: account && createCommits(commits, account, context),
          accountCommits: account && createCommits(accountCommits, account, context),
          setCookies(cookies: readonly string[]) {
            for (const cookie of cookies) context.header('set-cookie', cookie, { append: true });
          },
        };
        // Before the limit counts: the browser repeats the call after the proof.
        if (account && factor) await accounts.checkFactor(account, request.headers, factor);
        if (limit) callLimits.count(limit, caller, limitCount);
        if (account) {
          await accounts.checkRole(reader, account, who, context.req.param('classId') ?? null);
        }
        const reply = await handle(incoming as never);
        if (reply instanceof Response) return reply;
        const parsed = allowedReply.safeParse(reply);
        if (!parsed.success) throw new ReplyNotAllowed(name);
        personalFields ??= listPersonalFields(`call ${name}`, schemas.reply);
        const json = toPaddedJson(parsed.data as object, personalFields, paddedBytes);
        return context.body(json, 200, { 'content-type': 'application/json' });
      } catch (error) {
        await callLimits.delayRejection(error, caller);
        throw error;
      }
    });
  };
}

/** Makes the queues of one call, whose commits check the caller again. */
function createCallCommits(
  accounts: Authenticator,
  isMaintenance: () => boolean,
  { who, openToSuspended }: Required<Pick<Call, 'who' | 'openToSuspended'>>,
) {
  return (queue: Commits, account: Account, context: Context) =>
    new CallCommits(queue, account.id, async (unitOfWork) => {
      // The caller has gone without an answer, and may have sent a newer change to another node.
      if ((context.env as HttpBindings).outgoing.destroyed) throw new AppError('UNAVAILABLE');
      // Who may not write still may sign out, and get or delete their data.
      if (who !== 'operator' && !openToSuspended && isMaintenance()) {
        throw new AppError('MAINTENANCE');
      }
      const standing = await accounts.readStanding(unitOfWork.db, account);
      if (standing === 'session ended') throw new AppError('UNAUTHENTICATED');
      if (standing === 'suspended' && !openToSuspended) throw new AppError('SUSPENDED');
      return accounts.checkRole(unitOfWork, account, who, context.req.param('classId') ?? null);
    });
}

/** The `Cookie` header, without building the request's `Headers`. */
export function findCookieHeader({ env }: Context): string | null {
  return (env as HttpBindings).incoming.headers.cookie ?? null;
}

/** A malformed id gets 404, like an unknown one. */
function parseParams(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new AppError('NOT_FOUND');
  return parsed.data;
}

function parseInput(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw toInputError(parsed.error);
  return parsed.data;
}

async function parseBody(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (isNestedTooDeep(text)) {
    throw new AppError('INVALID', 'The body of this request is nested too deeply.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new AppError('INVALID', 'The body of this request must be JSON.');
    }
    throw error;
  }
}

/** Deeper than any request of the contract or of Algolia's clients, and safe for recursive code. */
export const maxJsonDepth = 32; // HTTP-8
const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether arrays and objects are nested too deeply. It scans the text once and parses nothing. */
export function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (inString) {
      if (code === backslash) index += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > maxJsonDepth) return true;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return false;
}

/** Says the first issue as a sentence, which quotes nothing of the request. */
function toInputError(error: z.ZodError): AppError {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    return new AppError('INVALID', 'This request has an unknown field.');
  }
  const field = issue?.path.map(String).join('.') ?? '';
  const text = issue?.message ?? '';
  // Each page of the app words a reason, and other sentences are for programs.
  const reason = isErrorReason(text) ? new AppError(text) : null;
  const sentence = reason?.message ?? (text.endsWith('.') ? text : 'This value is not valid.');
  const isNamed = sentence.toLowerCase().startsWith(field.toLowerCase());
  const message = field && !isNamed ? `${sentence} (${field})` : sentence;
  return new AppError(reason?.reason ?? 'INVALID', message);
}
