// The university's OpenID Connect provider: where a browser signs in, and what the provider then says about the person.
import * as oidc from 'openid-client';
import { AppError } from '#contract/errors.ts';
import type { OidcConfig } from '#server/config/config-types.ts';
import { limitLength } from '#server/base/limit-length.ts';
import type { Log } from '#server/base/log.ts';

/** The values that the provider's reply must match. They are in an encrypted cookie of the browser. */
export interface StartedSignOn {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  /** The person must enter the credentials again, even if the provider still knows the browser. */
  again: boolean;
}

export interface ProviderIdentity {
  issuer: string;
  subject: string;
  /** Null if the provider has no verified address. */
  email: string | null;
  /** Whether the person has just entered the credentials. False if the provider may have used an existing session. */
  isFresh: boolean;
}

export interface SignOnProvider {
  /** @throws {AppError} SIGN_ON_UNAVAILABLE */
  start(
    redirectUri: string,
    mustEnterAgain: boolean,
  ): Promise<{ url: string; startedSignOn: StartedSignOn }>;
  /**
   * @param query what the provider added to the redirect address
   * @throws {AppError} SIGN_ON_UNAVAILABLE, SIGN_ON_CANCELLED, SIGN_ON_EXPIRED
   */
  finish(startedSignOn: StartedSignOn, query: string): Promise<ProviderIdentity>;
}

/** The timeout of each request to the provider. A sign-in makes at most four. */
const timeoutSeconds = 5; // OIDC-9
/** The provider's addresses can change while the server runs. */
const discoveryMs = 3_600_000;
/** The maximum time since the credentials were entered. OIDC-11 */
const freshSeconds = 600;
/** The library sends forms only. */
const fetchForm: oidc.CustomFetch = async (url, options) => {
  const form = options.body instanceof URLSearchParams ? options.body : null;
  const { body, status, headers } = await fetch(url, { ...options, body: form });
  return new Response(body && limitLength(body), { status, headers });
};

/** Reads the provider's addresses. `npm run doctor` does the same. */
export function discover({
  issuer,
  clientId,
  clientSecret,
}: OidcConfig): Promise<oidc.Configuration> {
  // Settings allow http only for this machine.
  const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  const authenticate: oidc.ClientAuth = (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const usesBasic = methods.includes('client_secret_basic');
    const method = usesBasic ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    return method(clientSecret)(server, client, body, headers);
  };
  return oidc.discovery(issuer, clientId, clientSecret, authenticate, {
    execute,
    timeout: timeoutSeconds,
    [oidc.customFetch]: fetchForm,
  });
}

export function createSignOnProvider(config: OidcConfig, log: Log): SignOnProvider {
  let lastDiscovery: { startedAt: number; reading: Promise<oidc.Configuration> } | null = null;

  /** One request serves all sign-ins. A failed one is repeated by the next sign-in. */
  async function getConfiguration(): Promise<oidc.Configuration> {
    if (lastDiscovery && Date.now() - lastDiscovery.startedAt < discoveryMs) {
      return lastDiscovery.reading;
    }
    const entry = { startedAt: Date.now(), reading: discover(config) };
    lastDiscovery = entry;
    try {
      return await entry.reading;
    } catch (error) {
      if (lastDiscovery === entry) lastDiscovery = null;
      log.warn('sign-on.failed', { error });
      throw new AppError('SIGN_ON_UNAVAILABLE');
    }
  }

  async function translateErrors<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) throw error;
      const code = toSignOnError(error);
      if (code === 'SIGN_ON_UNAVAILABLE') log.warn('sign-on.failed', { error });
      throw new AppError(code);
    }
  }

  return {
    start: (redirectUri, mustEnterAgain) =>
      translateErrors(async () => {
        const server = await getConfiguration();
        const startedSignOn = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
          redirectUri,
          again: mustEnterAgain,
        };
        const url = oidc.buildAuthorizationUrl(server, {
          scope: 'openid email',
          redirect_uri: redirectUri,
          state: startedSignOn.state,
          nonce: startedSignOn.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(startedSignOn.verifier),
          code_challenge_method: 'S256',
          ...(mustEnterAgain ? { prompt: 'login', max_age: '0' } : {}),
        });
        return { url: url.href, startedSignOn };
      }),
    finish: (startedSignOn, query) =>
      translateErrors(async () => {
        const server = await getConfiguration();
        const reply = new URL(startedSignOn.redirectUri);
        reply.search = query;
        const tokens = await oidc.authorizationCodeGrant(server, reply, {
          expectedState: startedSignOn.state,
          expectedNonce: startedSignOn.nonce,
          pkceCodeVerifier: startedSignOn.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new AppError('SIGN_ON_EXPIRED');
        const { auth_time: enteredAt } = claims;
        const isFresh =
          typeof enteredAt === 'number' && Math.abs(Date.now() / 1000 - enteredAt) <= freshSeconds;
        // Some providers never send this time. With them, a sign-in after a sign-out works, but it never counts as fresh.
        if (startedSignOn.again && enteredAt !== undefined && !isFresh) {
          throw new AppError('SIGN_ON_EXPIRED');
        }
        // Some providers put the address only into the answer about the user.
        const { email, email_verified: isVerified } =
          claims['email'] === undefined
            ? await oidc.fetchUserInfo(server, tokens.access_token, claims.sub)
            : claims;
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: typeof email === 'string' && isVerified === true ? email : null,
          isFresh,
        };
      }),
  };
}

type SignOnError = 'SIGN_ON_UNAVAILABLE' | 'SIGN_ON_CANCELLED' | 'SIGN_ON_EXPIRED';

/** The provider's errors after which the person can repeat the sign-in. */
const expiredCodes = new Set(['invalid_grant', 'login_required', 'interaction_required']);
/** The errors that mean that the browser's reply does not belong to the sign-in that it started. */
const mismatchCodes = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
]);

function toSignOnError(error: unknown): SignOnError {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    if (error.error === 'access_denied') return 'SIGN_ON_CANCELLED';
    return expiredCodes.has(error.error) ? 'SIGN_ON_EXPIRED' : 'SIGN_ON_UNAVAILABLE';
  }
  const isMismatch = error instanceof oidc.ClientError && mismatchCodes.has(error.code ?? '');
  return isMismatch ? 'SIGN_ON_EXPIRED' : 'SIGN_ON_UNAVAILABLE';
}
