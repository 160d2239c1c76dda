// The addresses that platforms know: login, launch, deep linking, keys and registration. Without a platform, each answers 404.
import { Hono, type Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import {
  coursePath,
  ltiAnswerPath,
  ltiKeysPath,
  ltiLaunchPath,
  ltiLoginPath,
  ltiPickPath,
  ltiRegistrationPath,
} from '#contract/lti.ts';
import { getText } from '#server/base/get-text.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Server } from '#server/feature.ts';
import { createOrigins } from '#server/http/origins.ts';
import { spendToken } from '#server/store/used-tokens-queries.ts';
import { createCookies, createCourseCookie } from './course.ts';
import { saveReturnPlace, sendAnswer, toAnswerUrl } from './deep-linking.ts';
import {
  checkToken,
  createTokenRequest,
  initiationSchema,
  type Initiation,
  type Launch,
  type StartedLogin,
} from './launch.ts';
import { adoptDeployment, listPlatforms, type PlatformRow } from './lti-queries.ts';
import { Rejection, sendPage, sendRejection } from './pages.ts';
import { register } from './registration.ts';
import { getToolKeySet, hasToolKeys } from './tool-keys.ts';

type EndpointServer = Pick<Server, 'config' | 'keys' | 'db' | 'commits' | 'callLimits' | 'log'>;

const loginMs = 10 * 60_000; // LTI-3
/** How long a frame's link opens a window, which begins a login. */
const frameMs = 60 * 60_000;

export function createEndpoints(server: EndpointServer): Hono {
  const { config, db, callLimits, log } = server;
  const endpoints = new Hono();

  endpoints.use('/lti/*', async (context, next) => {
    const caller = callLimits.getCaller(context, null);
    try {
      callLimits.admit(null, caller);
      callLimits.count('launches', caller);
    } catch (error) {
      await callLimits.delayRejection(error, caller);
      throw error;
    }
    return next();
  });
  endpoints.onError((error, context) => {
    if (!(error instanceof Rejection)) throw error;
    log.warn('lti.rejected', { reason: error.reason });
    return sendRejection(context, config, error);
  });

  endpoints.on(['GET', 'POST'], ltiLoginPath, async (context) =>
    startLogin(context, server, await getPlatforms(server)),
  );
  endpoints.post(ltiLaunchPath, async (context) =>
    finishLogin(context, server, await getPlatforms(server)),
  );
  endpoints.get(ltiAnswerPath, async (context) =>
    sendAnswer(context, server, await getPlatforms(server)),
  );
  endpoints.get(ltiKeysPath, async (context) => {
    // A platform that registers itself reads them before it is registered.
    if (!(await hasToolKeys(db))) await getPlatforms(server);
    return context.json(await getToolKeySet(server));
  });
  // An operator's invitation opens it.
  endpoints.get(`${ltiRegistrationPath}/:token`, (context) => register(context, server));
  return endpoints;
}

/** @throws {AppError} NOT_FOUND without any */
async function getPlatforms({ db }: Pick<EndpointServer, 'db'>): Promise<PlatformRow[]> {
  const platforms = await listPlatforms(db);
  if (platforms.length === 0) throw new AppError('NOT_FOUND');
  return platforms;
}

/** Sends the browser to the platform, which answers with a token. */
async function startLogin(
  context: Context,
  { config, keys }: EndpointServer,
  platforms: readonly PlatformRow[],
): Promise<Response> {
  const cookies = createCookies({ config, keys });
  const resumed = cookies.open<{ initiation: Initiation; frameToken?: string }>(
    'initiation',
    context.req.query('initiation'),
  );
  const initiation = resumed?.initiation ?? (await parseInitiation(context));
  const platform = getPlatform(platforms, initiation);
  const { origin, pathname } = new URL(initiation.target_link_uri);
  if (!createOrigins(config, config.listen.port).isAllowedOrigin(origin, null)) {
    throw new Rejection('rejected', 'target');
  }
  const place = context.req.header('sec-fetch-dest');
  // Browsers keep cookies from frames. An old browser does not say where it is.
  if (place === undefined ? !resumed : place !== 'document') {
    // Only the frame itself can bring an answer of deep linking to the page around it.
    const frameToken = pathname === ltiPickPath ? createRandomId(32) : undefined;
    const link = cookies.seal('initiation', { initiation, frameToken }, frameMs);
    const windowUrl = `${ltiLoginPath}?initiation=${link}`;
    if (frameToken !== undefined) {
      const { platformId } = platform;
      return context.redirect(toAnswerUrl(cookies, { frameToken, platformId, windowUrl }), 303);
    }
    return sendPage(context, config, (language) => ({
      text: getText(language, 'lti.window.text'),
      link: windowUrl,
      framedBy: platform.origin,
    }));
  }
  const { url, state, nonce } = createTokenRequest(platform, initiation, origin);
  const { platformId } = platform;
  const login: StartedLogin = { platformId, nonce, origin, frameToken: resumed?.frameToken };
  // Each login has a cookie of its own, so that two courses can open at the same time. The platform's page sends it.
  context.header('set-cookie', cookies.write(toLoginName(state), login, loginMs, 'none'));
  // A page that opens many logins must not make the browser's cookies longer than a request can be.
  for (const name of cookies.listNames(toLoginName(''), context.req.raw.headers).slice(0, -4)) {
    context.header('set-cookie', cookies.write(name, null, 0, 'none'), { append: true });
  }
  return context.redirect(url, 302);
}

/** Checks the token, and leaves the course in a cookie. */
async function finishLogin(
  context: Context,
  server: EndpointServer,
  platforms: readonly PlatformRow[],
): Promise<Response> {
  const { state = '', id_token: token = '' } = await parseForm(context);
  const cookies = createCookies(server);
  const login = cookies.read<StartedLogin>(toLoginName(state), context.req.raw.headers);
  if (!login) throw new Rejection('expired', 'state');
  context.header('set-cookie', cookies.write(toLoginName(state), null, 0, 'none'));
  const platform = platforms.find(({ platformId }) => platformId === login.platformId);
  if (!platform) throw new Rejection('platform', 'platform');
  const launch = await checkToken(token, login, platform, server.config);
  const frameToken = login.frameToken ?? createRandomId(32);
  const rejection = await commitLaunch(server, login, platform, launch, frameToken);
  if (rejection) throw rejection;
  const { platformId } = platform;
  const answerUrl = login.frameToken
    ? null
    : toAnswerUrl(cookies, { frameToken, platformId, windowUrl: null });
  const picking = launch.returnPlace && { answerUrl };
  const courseCookie = createCourseCookie(server, { ...launch.course, picking });
  context.header('set-cookie', courseCookie, { append: true });
  return context.redirect(coursePath, 303);
}

/** Lets no one else launch with the same token. @returns why the launch is rejected */
function commitLaunch(
  { commits, keys }: EndpointServer,
  { nonce }: StartedLogin,
  platform: PlatformRow,
  { course, returnPlace }: Launch,
  frameToken: string,
): Promise<Rejection | null> {
  const deployments = JSON.parse(platform.deployments) as string[];
  return commits.write(async ({ db }) => {
    if (!(await spendToken(db, nonce))) return new Rejection('expired', 'used before');
    const isKnown =
      deployments.includes(course.key.deploymentId) ||
      (deployments.length === 0 && (await adoptDeployment(db, course.key)));
    if (!isKnown) return new Rejection('platform', 'deployment');
    if (returnPlace) {
      await saveReturnPlace(db, keys, frameToken, { course: course.key, returnPlace });
    }
    return null;
  }, 'independent');
}

const toLoginName = (state: string) => `login-${state}`;

async function parseInitiation(context: Context): Promise<Initiation> {
  const parameters = context.req.method === 'POST' ? await parseForm(context) : context.req.query();
  const { data } = initiationSchema.safeParse(parameters);
  if (!data) throw new Rejection('rejected', 'initiation');
  return data;
}

async function parseForm(context: Context): Promise<Partial<Record<string, string>>> {
  return Object.fromEntries(new URLSearchParams(await context.req.text()));
}

/** @throws {Rejection} also if several platforms match: a choice could be the wrong one */
function getPlatform(
  platforms: readonly PlatformRow[],
  { iss, client_id: clientId }: Initiation,
): PlatformRow {
  const [platform, other] = platforms.filter(
    (row) => row.issuer === iss && (clientId === undefined || row.clientId === clientId),
  );
  if (!platform || other) throw new Rejection('platform', other ? 'several' : 'issuer');
  return platform;
}
