// A university's OpenID Connect provider on this machine: `oidc-provider`, whose sign-in page is answered immediately.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { Provider } from 'oidc-provider';
import { createTestClient, type TestClient } from './test-client.ts';

/** What the provider says about the person at the browser. */
export interface Person {
  sub: string;
  email: string;
  verified: boolean;
}

export interface OidcServer {
  readonly issuer: string;
  /** The settings of an app that uses it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The person who enters credentials next; null for one who cancels. */
  person: Person | null;
  /** How often credentials were entered. */
  readonly entered: number;
  stop(): Promise<void>;
}

/**
 * @param origin of the app
 * @param inIdToken whether the ID token has the address. Otherwise only the answer about the user has it
 */
export async function startOidcServer(
  origin: string,
  { port = 0, inIdToken = true } = {},
): Promise<OidcServer> {
  const server = createServer();
  server.keepAliveTimeout = 60_000; // As that of the app: running-app.ts.
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${getPort(server)}`;
  let entered = 0;
  const people = new Map<string, Person>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'backchannel',
        client_secret: 'the secret of the client',
        redirect_uris: [`${origin}/sign-on`],
      },
    ],
    cookies: { keys: ['a key of this test'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !inIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => {
      const { email, verified } = people.get(sub) ?? { email: '', verified: false };
      return {
        accountId: sub,
        claims: () => ({ sub, email, email_verified: verified, name: 'Ada Lovelace' }),
      };
    },
    // No one is asked to consent.
    async loadExistingGrant({ oidc: { provider: issuingProvider, client, session } }) {
      if (!client || !session?.accountId) return undefined;
      const { clientId } = client;
      const grant = new issuingProvider.Grant({ clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  const stub: OidcServer = {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'backchannel',
      OIDC_CLIENT_SECRET: 'the secret of the client',
      OIDC_LABEL: 'Riverside Login',
    },
    person: null,
    get entered() {
      return entered;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    const { person } = stub;
    if (person) {
      people.set(person.sub, { ...person });
      entered += 1;
    }
    const result = person ? { login: { accountId: person.sub } } : { error: 'access_denied' };
    void provider.interactionFinished(request, response, result);
  });
  return stub;
}

function getPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

export interface SignOnBrowser {
  readonly client: TestClient;
  /** Follows the provider's pages, and returns the query with which it sends the browser back. */
  visit(url: string): Promise<string>;
}

/** A browser that no one has used, at the app and at the provider. */
export function createSignOnBrowser(origin: string): SignOnBrowser {
  const cookies = new Map<string, string>();
  return {
    client: createTestClient(origin, 'nobody@university.edu'),
    async visit(url) {
      for (let currentUrl = url; ;) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(currentUrl, { redirect: 'manual', headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          if (value) cookies.set(name, value);
          else cookies.delete(name);
        }
        const to = response.headers.get('location');
        if (!to) {
          throw new Error(`The provider stopped: ${response.status} ${await response.text()}`);
        }
        currentUrl = new URL(to, currentUrl).href;
        if (currentUrl.startsWith(origin)) return new URL(currentUrl).search;
      }
    },
  };
}
