// Dynamic registration: the administrator of a learning platform enters a link that an operator has made, and the two servers tell
// each other their addresses. Without the link, no one can register a platform.
import type { Context } from 'hono';
import { z } from 'zod';
import {
  coursePath,
  ltiKeysPath,
  ltiLaunchPath,
  ltiLoginPath,
  ltiPickPath,
  ltiRegistrationPath,
} from '#contract/lti.ts';
import { getText } from '#server/base/get-text.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Server } from '#server/feature.ts';
import { spendToken } from '#server/store/used-tokens-queries.ts';
import { createCookies } from './course.ts';
import { findPlatformOfClient, savePlatform } from './lti-queries.ts';
import { Rejection, sendPage } from './pages.ts';
import { createPlatformFetch } from './platform-fetch.ts';
import { getToolKeySet } from './tool-keys.ts';

/** What an operator decides when making the link. */
interface Invitation {
  /** Where people open the platform. */
  origin: string;
  grantsStaff: boolean;
}

const invitationMs = 24 * 60 * 60_000; // LTI-15

/** @returns the address that the administrator enters */
export function createInvitation(
  server: Pick<Server, 'config' | 'keys'>,
  invitation: Invitation,
): string {
  const token = createCookies(server).seal('invitation', invitation, invitationMs);
  return `${server.config.publicUrl.origin}${ltiRegistrationPath}/${token}`;
}

const ltiPlatform = 'https://purl.imsglobal.org/spec/lti-platform-configuration';
const ltiTool = 'https://purl.imsglobal.org/spec/lti-tool-configuration';

const configurationSchema = z.object({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  jwks_uri: z.url(),
  registration_endpoint: z.url(),
  [ltiPlatform]: z.object({ messages_supported: z.array(z.unknown()).default([]) }).optional(),
});

const id = z.string().min(1).max(255);
const registeredSchema = z.object({
  client_id: id,
  [ltiTool]: z.object({ deployment_id: id.optional() }).optional(),
});

/** @throws {Rejection} */
export async function register(
  context: Context,
  server: Pick<Server, 'config' | 'keys' | 'db' | 'commits'>,
): Promise<Response> {
  const { commits, config } = server;
  const token = context.req.param('token') ?? '';
  const invitation = createCookies(server).open<Invitation>('invitation', token);
  if (!invitation) throw new Rejection('invitation', 'invitation');
  const { openid_configuration: address = '', registration_token: platformToken } =
    context.req.query();
  // Someone opened the link, instead of entering it in the platform.
  if (!URL.canParse(address)) throw new Rejection('invitation', 'no configuration');
  // The platform may read them while it registers this site.
  await getToolKeySet(server);
  const registered = await exchange(new URL(address), platformToken, invitation, config);
  const problem = await commits.write(async ({ db }) => {
    // A platform must not replace the keys of another one.
    if (await findPlatformOfClient(db, registered)) return 'known client';
    if (!(await spendToken(db, token, invitationMs))) return 'used before';
    await savePlatform(db, {
      ...registered,
      platformId: createRandomId(),
      origin: invitation.origin,
      grantsStaff: invitation.grantsStaff ? 1 : 0,
    });
    return null;
  }, 'independent');
  if (problem !== null) throw new Rejection('invitation', problem);
  return sendPage(context, config, (language) => ({
    text: getText(language, 'lti.registered'),
    closesItself: true,
    // It shows nothing that could be pressed, and the school's own Canvas frames it, whose address Canvas does not tell.
    framedBy: 'https:',
  }));
}

/** Reads the addresses of the platform, and tells it those of this site. @throws {Rejection} */
async function exchange(
  configurationUrl: URL,
  platformToken: string | undefined,
  invitation: Invitation,
  config: Config,
) {
  const fetchPlatform = createPlatformFetch(invitation.origin, config);
  const request = async (url: string | URL, init?: { body: string; method: string }) => {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (platformToken) headers['authorization'] = `Bearer ${platformToken}`;
    if (init) headers['content-type'] = 'application/json';
    const response = await fetchPlatform(url, { ...init, headers }).catch(() => null);
    if (!response?.ok) throw new Rejection('unavailable', 'registration');
    return response.json().catch((): unknown => null);
  };
  const { data: platform } = configurationSchema.safeParse(await request(configurationUrl));
  if (!platform) throw new Rejection('rejected', 'configuration');
  // Otherwise anyone who has a link could register themselves as another school's platform.
  if (new URL(platform.issuer).host !== configurationUrl.host) {
    throw new Rejection('rejected', 'issuer of another host');
  }
  const isSafe =
    config.publicUrl.protocol === 'http:' || platform.authorization_endpoint.startsWith('https:');
  if (!isSafe) throw new Rejection('rejected', 'authorization address');
  await request(platform.jwks_uri);
  const messages = platform[ltiPlatform]?.messages_supported ?? [];
  const body = JSON.stringify(describeTool(config, JSON.stringify(messages)));
  const reply = await request(platform.registration_endpoint, { method: 'POST', body });
  const { data: registered } = registeredSchema.safeParse(reply);
  if (!registered) throw new Rejection('rejected', 'registration');
  const deploymentId = registered[ltiTool]?.deployment_id;
  return {
    issuer: platform.issuer,
    clientId: registered.client_id,
    authorizationUrl: platform.authorization_endpoint,
    keySetUrl: platform.jwks_uri,
    // If there is none, the first launch names it.
    deployments: JSON.stringify(deploymentId === undefined ? [] : [deploymentId]),
  };
}

/** It asks for no service, and for no claim about people. @param supported the messages of the platform, with their placements */
function describeTool({ publicUrl: { origin, host }, appName }: Config, supported: string): object {
  const toMessage = (type: string, path: string, placements: readonly string[]) => ({
    type,
    target_link_uri: `${origin}${path}`,
    label: appName,
    // Canvas rejects a placement that it does not have.
    placements: placements.filter((name) => supported.includes(`"${name}"`)),
  });
  return {
    application_type: 'web',
    client_name: appName,
    client_uri: origin,
    response_types: ['id_token'],
    grant_types: ['implicit', 'client_credentials'],
    initiate_login_uri: `${origin}${ltiLoginPath}`,
    redirect_uris: [`${origin}${ltiLaunchPath}`],
    jwks_uri: `${origin}${ltiKeysPath}`,
    token_endpoint_auth_method: 'private_key_jwt',
    scope: '',
    [ltiTool]: {
      domain: host,
      target_link_uri: `${origin}${coursePath}`,
      claims: ['iss'],
      'https://canvas.instructure.com/lti/privacy_level': 'anonymous',
      messages: [
        toMessage('LtiResourceLinkRequest', coursePath, ['course_navigation']),
        toMessage('LtiDeepLinkingRequest', ltiPickPath, ['link_selection', 'ContentArea']),
      ],
    },
  };
}
