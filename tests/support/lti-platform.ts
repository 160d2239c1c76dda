// A learning platform on this machine, as Moodle or Canvas is one: it frames the tool on its course page, signs
// launches with real keys, and answers with forms that send themselves.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import {
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTPayload,
} from 'jose';

const purl = 'http://purl.imsglobal.org/vocab';
export const roles = {
  instructor: `${purl}/lis/v2/membership#Instructor`,
  learner: `${purl}/lis/v2/membership#Learner`,
  testUser: `${purl}/lti/system/person#TestUser`,
};

export interface PlatformKey {
  kid: string;
  privateKey: CryptoKey;
  /** As the platform's key set has it. */
  publicJwk: JWK;
}

/** What the platform says about the course and the person. */
export interface Launch {
  course?: { id: string; label?: string; title?: string };
  roles?: readonly string[];
  /** Claims under `https://purl.imsglobal.org/spec/lti/claim/`. `undefined` leaves one out. */
  lti?: Readonly<Record<string, unknown>>;
  /** Other claims, which replace the usual ones. `undefined` leaves one out. */
  claims?: Readonly<Record<string, unknown>>;
  /** Settings of a deep linking launch, which lets an instructor choose what the course links to. */
  deepLinking?: Readonly<Record<string, unknown>>;
  /** Signs in the platform's place. */
  sign?(claims: JWTPayload, key: PlatformKey): string | Promise<string>;
}

/** The addresses of a launch, as the page of the course uses them. */
export interface StartedLaunch {
  /** What the platform sends to the tool's login address. */
  login: URLSearchParams;
  /** The page of the course, which frames the tool. */
  courseUrl: string;
}

/** A form that the platform's page sends by itself. */
export interface AutoForm {
  action: string;
  fields: URLSearchParams;
}

export interface LtiPlatform {
  readonly issuer: string;
  readonly clientId: string;
  readonly deploymentId: string;
  readonly authorizationUrl: string;
  readonly keySetUrl: string;
  readonly configurationUrl: string;
  /** The address to which an answer of deep linking goes. */
  readonly returnUrl: string;
  /** The answers of deep linking so far, checked against the tool's key set. */
  readonly linked: readonly JWTPayload[];
  /** What tools sent to be registered, with the authorization header. */
  readonly registrations: readonly { authorization: string; tool: Record<string, unknown> }[];
  /** How often the key set was read. */
  readonly keySetReads: number;
  /** Changes to the platform's OpenID configuration. */
  configuration: Record<string, unknown>;
  /** Replaces the key: the former one is no longer in the key set. */
  rotateKey(): Promise<void>;
  start(launch?: Launch): StartedLaunch;
  /** What the authorization endpoint answers to the browser. */
  authorize(url: string): Promise<AutoForm>;
  stop(): Promise<void>;
}

export async function createPlatformKey(): Promise<PlatformKey> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = randomUUID();
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, publicJwk };
}

/** As platforms sign: RS256, with the id of the key. */
export function signWith(claims: JWTPayload, { kid, privateKey }: PlatformKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid }).sign(privateKey);
}

/** @param toolOrigin the origin of the app */
export async function startLtiPlatform(
  toolOrigin: string,
  { clientId = `client-${randomUUID()}`, deploymentId = '1', host = '127.0.0.1' } = {},
): Promise<LtiPlatform> {
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000; // As that of the app: running-app.ts.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const toTarget = ({ deepLinking }: Launch) =>
    `${toolOrigin}${deepLinking ? '/lti/pick' : '/course'}`;
  const toolKeys = createRemoteJWKSet(new URL(`${toolOrigin}/lti/keys`), { cooldownDuration: 0 });
  const launches = new Map<string, Launch>();
  const linked: JWTPayload[] = [];
  const registrations: { authorization: string; tool: Record<string, unknown> }[] = [];
  let key = await createPlatformKey();
  let keySetReads = 0;

  const platform: LtiPlatform = {
    issuer,
    clientId,
    deploymentId,
    authorizationUrl: `${issuer}/authorize?site=1`,
    keySetUrl: `${issuer}/keys`,
    configurationUrl: `${issuer}/.well-known/openid-configuration`,
    returnUrl: `${issuer}/linked`,
    linked,
    registrations,
    get keySetReads() {
      return keySetReads;
    },
    configuration: {},
    async rotateKey() {
      key = await createPlatformKey();
    },
    start(launch = {}) {
      const hint = randomUUID();
      launches.set(hint, launch);
      const login = new URLSearchParams({
        iss: issuer,
        login_hint: `person-${hint}`,
        lti_message_hint: hint,
        target_link_uri: toTarget(launch),
        client_id: clientId,
        lti_deployment_id: deploymentId,
      });
      return { login, courseUrl: `${issuer}/course?${login}` };
    },
    async authorize(url) {
      const response = await fetch(url);
      const page = await response.text();
      if (!response.ok) throw new Error(`The platform answered ${response.status}: ${page}`);
      const [, action = ''] = /action="([^"]*)"/.exec(page) ?? [];
      const fields = [...page.matchAll(/name="([^"]*)" value="([^"]*)"/g)];
      return {
        action,
        fields: new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value])),
      };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  function toClaims(launch: Launch, nonce: string): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const { course = { id: 'course-1', label: 'MATH 30', title: 'Calculus' } } = launch;
    const messageType = launch.deepLinking ? 'LtiDeepLinkingRequest' : 'LtiResourceLinkRequest';
    const ltiClaims: Record<string, unknown> = {
      message_type: messageType,
      version: '1.3.0',
      deployment_id: deploymentId,
      target_link_uri: toTarget(launch),
      ...(!launch.deepLinking && { resource_link: { id: `link-of-${course.id}` } }),
      roles: launch.roles ?? [roles.learner],
      context: { type: [`${purl}/lis/v2/course#CourseOffering`], ...course },
      ...launch.lti,
    };
    return {
      iss: issuer,
      aud: clientId,
      sub: 'claim-sub-1815',
      iat: now,
      exp: now + 300,
      nonce,
      // A platform that is not set to 'anonymous' also says who it is.
      name: 'Claimed Lovelace',
      email: 'claimed.lovelace@university.edu',
      ...Object.fromEntries(
        Object.entries(ltiClaims).map(([name, value]) => [
          `https://purl.imsglobal.org/spec/lti/claim/${name}`,
          value,
        ]),
      ),
      ...(launch.deepLinking && {
        'https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings': {
          deep_link_return_url: platform.returnUrl,
          accept_types: ['ltiResourceLink'],
          accept_presentation_document_targets: ['iframe', 'window'],
          accept_multiple: false,
          data: `data-${randomBytes(9).toString('base64url')}`,
          ...launch.deepLinking,
        },
      }),
      ...launch.claims,
    };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await route(request, response);
    } catch (error) {
      response.writeHead(400).end(error instanceof Error ? error.message : '');
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', issuer);
    if (pathname === '/course') return sendPage(response, toCoursePage(query));
    // Moodle posts, Canvas too.
    if (pathname === '/frame') return sendForm(response, `${toolOrigin}/lti/login`, query);
    if (pathname === '/authorize') return authorize(query, response);
    if (pathname === '/redirect') {
      response.writeHead(302, { location: query.get('to') ?? '' }).end();
      return;
    }
    if (pathname === '/keys') {
      keySetReads += 1;
      return sendJson(response, { keys: [key.publicJwk] });
    }
    if (pathname === '/.well-known/openid-configuration') return sendConfiguration(response);
    if (pathname === '/registrations') {
      const tool = JSON.parse(await text(request)) as Record<string, unknown>;
      registrations.push({ authorization: request.headers.authorization ?? '', tool });
      return sendJson(response, { ...tool, client_id: clientId }, 201);
    }
    if (pathname === '/linked') {
      const form = new URLSearchParams(await text(request));
      const { payload } = await jwtVerify(form.get('JWT') ?? '', toolKeys, {
        algorithms: ['RS256'],
        issuer: clientId,
        audience: issuer,
        requiredClaims: ['nonce', 'iat', 'exp'],
      });
      linked.push(payload);
      return sendPage(response, '<h1>Back in the course</h1>');
    }
    response.writeHead(404).end();
  }

  async function authorize(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const hint = query.get('lti_message_hint') ?? '';
    const launch = launches.get(hint);
    // Moodle's hint works once.
    launches.delete(hint);
    const expected = {
      site: '1',
      scope: 'openid',
      response_type: 'id_token',
      response_mode: 'form_post',
      prompt: 'none',
      client_id: clientId,
      redirect_uri: `${toolOrigin}/lti/launch`,
      login_hint: `person-${hint}`,
    };
    for (const [name, value] of Object.entries(expected)) {
      if (query.get(name) !== value) throw new Error(`${name} is ${query.get(name)}`);
    }
    // Moodle refuses values that it does not know.
    if (!launch || query.has('repost')) throw new Error('unknown launch');
    const claims = toClaims(launch, query.get('nonce') ?? '');
    const idToken = await (launch.sign ?? signWith)(claims, key);
    const fields = new URLSearchParams({ id_token: idToken, state: query.get('state') ?? '' });
    sendForm(response, `${toolOrigin}/lti/launch`, fields);
  }

  function sendConfiguration(response: ServerResponse): void {
    sendJson(response, {
      issuer,
      authorization_endpoint: platform.authorizationUrl,
      token_endpoint: `${issuer}/token`,
      jwks_uri: platform.keySetUrl,
      registration_endpoint: `${issuer}/registrations`,
      'https://purl.imsglobal.org/spec/lti-platform-configuration': {
        product_family_code: 'moodle',
        messages_supported: [{ type: 'LtiResourceLinkRequest' }, { type: 'LtiDeepLinkingRequest' }],
      },
      ...platform.configuration,
    });
  }

  return platform;
}

const escape = (value: string) =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

function sendPage(response: ServerResponse, body: string): void {
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(`<!doctype html><html lang="en"><title>Platform</title>${body}</html>`);
}

function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function toCoursePage(login: URLSearchParams): string {
  const url = escape(`/frame?${login}`);
  return `<h1>Calculus</h1><iframe title="Class chat" width="900" height="600" src="${url}"></iframe>`;
}

function sendForm(response: ServerResponse, action: string, fields: URLSearchParams): void {
  const inputs = [...fields].map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  sendPage(
    response,
    `<form method="post" action="${escape(action)}">${inputs.join('')}</form>
    <script>document.forms[0].submit()</script>`,
  );
}

/** What of a launch must reach no table, no log and no other person. */
export const launchSecrets = /claim-sub-1815|Claimed|claimed\.lovelace|person-[0-9a-f]{8}-/;
