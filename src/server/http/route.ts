// Serves the calls of the contract: authentication, input validation and the reply's allow-list.
import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import { http, type CallReply, type Http } from '#contract/http.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import type { Caller, CallLimits } from './call-limits.ts';
import { isNestedTooDeep } from './json-depth.ts';

type Part<Name extends RouteName, Key extends string> =
  Http[Name] extends Record<Key, z.ZodType> ? z.output<Http[Name][Key]> : undefined;

interface Incoming<Name extends RouteName, Access> {
  params: Part<Name, 'params'>;
  query: Part<Name, 'query'>;
  body: Part<Name, 'body'>;
  account: Access extends 'signedIn' ? Account : null;
  headers: Headers;
  caller: Caller;
  /** For a raw body that has no schema. */
  request: Request;
  setCookies(cookies: readonly string[]): void;
}

/** This reply may be too long to hold in memory. Its parts are validated where they are written. */
const streamed = 'exportAccount';
type Reply<Name extends RouteName> = Name extends typeof streamed ? Response : CallReply<Name>;

/** Registers the calls of one Hono app. */
export type Route = <Name extends RouteName, Access extends 'public' | 'signedIn'>(
  name: Name,
  access: Access,
  handle: (incoming: Incoming<Name, Access>) => Promise<Reply<Name>>,
) => void;

/** A reply that does not match its allow-list. The server does not send it. */
export class ReplyNotAllowed extends Error {
  override name = 'ReplyNotAllowed';
}

/**
 * Checks run in the order of SPEC.md HTTP-2: 401, then 404 for the path, then 400, then the domain's
 * rules.
 */
export function routeOn(
  app: Hono,
  accounts: Pick<Accounts, 'accountOf'>,
  callLimits: CallLimits,
): Route {
  return (name, access, handle) => {
    const { method, path } = routes[name];
    const schemas: { params?: z.ZodType; query?: z.ZodType; body?: z.ZodType; reply: z.ZodType } =
      http[name];

    app.on(method, path, async (context) => {
      const { headers } = context.req.raw;
      const account = access === 'signedIn' ? await accounts.accountOf(headers) : null;
      if (access === 'signedIn' && !account) throw new AppError('UNAUTHENTICATED');
      const caller = callLimits.callerOf(context, account);
      try {
        callLimits.admit(account, caller);
        const incoming = {
          params: schemas.params && readParams(schemas.params, context.req.param()),
          query: schemas.query && read(schemas.query, context.req.query()),
          body: schemas.body && read(schemas.body, await readJson(context)),
          account,
          headers,
          caller,
          request: context.req.raw,
          setCookies(cookies: readonly string[]) {
            for (const cookie of cookies) context.header('set-cookie', cookie, { append: true });
          },
        };
        callLimits.count(name, caller);
        const reply = await handle(incoming as never);
        if (name === streamed) return reply as Response;
        const known = schemas.reply.safeParse(reply);
        if (!known.success) throw new ReplyNotAllowed(name);
        return context.json(known.data as object);
      } catch (error) {
        await callLimits.hold(error, caller);
        throw error;
      }
    });
  };
}

/** A malformed id gets 404, like an unknown one. */
function readParams(schema: z.ZodType, value: unknown): unknown {
  const known = schema.safeParse(value);
  if (!known.success) throw new AppError('NOT_FOUND');
  return known.data;
}

function read(schema: z.ZodType, value: unknown): unknown {
  const known = schema.safeParse(value);
  if (!known.success) throw new AppError('INVALID', describe(known.error));
  return known.data;
}

async function readJson(context: Context): Promise<unknown> {
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

/** Returns the first issue as a sentence. It quotes nothing of the request. */
function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys')
    return 'This request has a field that is not known here.';
  const field = issue?.path.map(String).join('.') ?? '';
  const written =
    issue && /[.]$/.test(issue.message) ? issue.message : 'This value cannot be used.';
  const named = written.toLowerCase().startsWith(field.toLowerCase());
  return field && !named ? `${written} (${field})` : written;
}
