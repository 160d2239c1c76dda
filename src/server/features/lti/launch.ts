// A launch in two steps: the platform sends the browser here, which fetches a token that the platform signs, and brings it. Of the
// token, only the course and whether an instructor opens it leave this file.
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { ltiLaunchPath } from '#contract/lti.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Course } from './course.ts';
import type { PlatformRow } from './lti-queries.ts';
import { createPlatformFetch } from './platform-fetch.ts';
import { Rejection } from './pages.ts';

/** A login in progress. It is in a cookie of the browser, which only its own state opens. */
export interface StartedLogin {
  platformId: string;
  nonce: string;
  /** That of this site, under which the browser came. A school can have a separate host name. */
  origin: string;
  /** Names the frame of the platform that waits for the answer of deep linking. */
  frameToken?: string | undefined;
}

/** What a token says. */
export interface Launch {
  course: Omit<Course, 'picking'>;
  /** Null if the platform waits for no link, or not for one of this person. */
  returnPlace: ReturnPlace | null;
}

/** Where the platform waits for the link of a class: the settings of deep linking. */
export interface ReturnPlace {
  deep_link_return_url: string;
  /** Goes back to the platform unchanged. */
  data?: string | undefined;
}

const text = z.string().min(1).max(4000);

/** How a platform starts a login: the third-party initiated login of OpenID Connect. */
export const initiationSchema = z.object({
  iss: text,
  login_hint: text,
  target_link_uri: z.url().max(4000),
  lti_message_hint: text.optional(),
  client_id: text.optional(),
});
export type Initiation = z.infer<typeof initiationSchema>;

/** Builds the request for a token. */
export function createTokenRequest(
  { authorizationUrl, clientId }: PlatformRow,
  { login_hint, lti_message_hint }: Initiation,
  origin: string,
) {
  const url = new URL(authorizationUrl);
  const state = createRandomId(32);
  const nonce = createRandomId(32);
  const parameters = {
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    prompt: 'none',
    client_id: clientId,
    redirect_uri: `${origin}${ltiLaunchPath}`,
    login_hint,
    ...(lti_message_hint !== undefined && { lti_message_hint }),
    state,
    nonce,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, nonce };
}

export const claim = <Name extends string>(name: Name) =>
  `https://purl.imsglobal.org/spec/lti/claim/${name}` as const;
/** The claims of deep linking. */
export const linkingClaim = <Name extends string>(name: Name) =>
  `https://purl.imsglobal.org/spec/lti-dl/claim/${name}` as const;

const instructorRole = 'http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor';
const testUserRole = 'http://purl.imsglobal.org/vocab/lti/system/person#TestUser';

const id = z.string().min(1).max(255);
/** Something else is the same as nothing. */
const name = z.string().trim().catch('');
const urlOn = (origin: string) =>
  text.refine((url) => URL.canParse(url) && new URL(url).origin === origin);

const createClaimsSchema = (platform: PlatformRow, login: StartedLogin) =>
  z.object({
    nonce: z.literal(login.nonce),
    // For this site only. That it names this client was checked with the signature.
    aud: z.union([z.string(), z.tuple([z.string()])]),
    azp: z.literal(platform.clientId).optional(),
    [claim('version')]: z.literal('1.3.0'),
    [claim('message_type')]: z.enum(['LtiResourceLinkRequest', 'LtiDeepLinkingRequest']),
    [claim('deployment_id')]: id,
    [claim('target_link_uri')]: urlOn(login.origin),
    // Absent if the platform shares nothing about people.
    [claim('roles')]: z.array(z.string()).default([]),
    [claim('context')]: z.object({ id, title: name, label: name }).optional(),
    [claim('custom')]: z.object({ class: name }).optional(),
    [linkingClaim('deep_linking_settings')]: z
      .object({
        deep_link_return_url: urlOn(platform.origin),
        data: z.string().max(4000).optional(),
      })
      .optional(),
  });

/**
 * Checks the token, and drops who it is about.
 *
 * @throws {Rejection}
 */
export async function checkToken(
  token: string,
  login: StartedLogin,
  platform: PlatformRow,
  config: Pick<Config, 'publicUrl'>,
): Promise<Launch> {
  const payload = await verifyToken(token, platform, config);
  const parsed = createClaimsSchema(platform, login).safeParse(payload);
  if (!parsed.success) {
    throw new Rejection('rejected', parsed.error.issues[0]?.path.join(' ') ?? '');
  }
  const claims = parsed.data;
  const roles = claims[claim('roles')];
  if (roles.includes(testUserRole)) throw new Rejection('testUser', 'test user');
  const context = claims[claim('context')];
  if (!context) throw new Rejection('noCourse', 'no course');
  const returnPlace = claims[linkingClaim('deep_linking_settings')];
  const isLinking = claims[claim('message_type')] === 'LtiDeepLinkingRequest';
  if (isLinking && !returnPlace) throw new Rejection('rejected', 'no return address');
  const isInstructor = roles.includes(instructorRole);
  const course = {
    key: {
      platformId: platform.platformId,
      deploymentId: claims[claim('deployment_id')],
      contextId: context.id,
    },
    title: context.title.slice(0, limits.classField),
    label: context.label.slice(0, limits.classField),
    isInstructor,
    saysLinked: (claims[claim('custom')]?.class ?? '') !== '',
  };
  return { course, returnPlace: (isLinking && isInstructor && returnPlace) || null };
}

/** The keys of each platform. If none matches a token, they are fetched again, because platforms rotate them. */
const keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

function getPlatformKeySet({ keySetUrl, origin }: PlatformRow, config: Pick<Config, 'publicUrl'>) {
  const cacheKey = `${origin} ${keySetUrl}`;
  const known = keySets.get(cacheKey);
  if (known) return known;
  const keySet = createRemoteJWKSet(new URL(keySetUrl), {
    // Tokens with made-up keys cause at most one request a second.
    cooldownDuration: 1000,
    [customFetch]: createPlatformFetch(origin, config),
  });
  keySets.set(cacheKey, keySet);
  return keySet;
}

async function verifyToken(
  token: string,
  platform: PlatformRow,
  config: Pick<Config, 'publicUrl'>,
) {
  try {
    const { payload } = await jwtVerify(token, getPlatformKeySet(platform, config), {
      algorithms: ['RS256'],
      issuer: platform.issuer,
      audience: platform.clientId,
      requiredClaims: ['exp', 'iat', 'nonce'],
      clockTolerance: 60,
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new Rejection('expired', error.code);
    // The key set answers something else, or too late.
    const isFetchError =
      !(error instanceof errors.JOSEError) ||
      ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'].includes(error.code);
    if (isFetchError) throw new Rejection('unavailable', 'keys');
    const checkedClaim = error instanceof errors.JWTClaimValidationFailed ? error.claim : '';
    throw new Rejection('rejected', `${error.code} ${checkedClaim}`.trim());
  }
}
