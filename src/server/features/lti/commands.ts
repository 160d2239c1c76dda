// The commands of `npm run admin` for learning platforms.
import { z } from 'zod';
import { createRandomId } from '#server/base/random-id.ts';
import { defineDatabaseCommand, someText } from '#server/commands/admin-command.ts';
import {
  deletePlatform,
  findPlatformOfClient,
  listPlatforms,
  savePlatform,
} from './lti-queries.ts';
import { createInvitation } from './registration.ts';

const httpUrl = z.url({ protocol: /^https?$/ });
const issuer = someText.describe('what the platform calls its issuer, or platform id');
const clientId = someText.describe('the client id that the platform gave this site');
const platformOrigin = httpUrl
  .transform((url) => new URL(url).origin)
  .describe('where people open the platform, such as https://lms.university.edu');
const grantsStaff = z
  .boolean()
  .default(false)
  .describe('instructors become staff of the class of their course without a confirmation');

export const ltiCommands = [
  defineDatabaseCommand({
    name: 'register-lms',
    description:
      'lets the courses of a learning platform (LTI 1.3) lead here; run it again to add a deployment or to change an address',
    takes: {
      issuer,
      clientId,
      deploymentId: someText.describe('the deployment id'),
      origin: platformOrigin,
      authorizationUrl: httpUrl.describe(
        'the authentication request URL, or OIDC authorization URL',
      ),
      keySetUrl: httpUrl.describe('the public keyset URL, or JWKS URL'),
    },
    options: { instructorsAreStaff: grantsStaff },
    async run({ config, write }, { deploymentId, instructorsAreStaff, ...given }) {
      const urls = [given.origin, given.authorizationUrl, given.keySetUrl];
      // Only a site that is for trying may talk to a platform without https.
      if (config.publicUrl.protocol === 'https:' && urls.some((url) => !url.startsWith('https:'))) {
        throw new Error('the addresses of a platform must begin with https.');
      }
      const deployments = await write(async ({ db }) => {
        const known = await findPlatformOfClient(db, given);
        const earlier = JSON.parse(known?.deployments ?? '[]') as string[];
        const ids = [...new Set([...earlier, deploymentId])];
        await savePlatform(db, {
          ...given,
          platformId: known?.platformId ?? createRandomId(),
          deployments: JSON.stringify(ids),
          grantsStaff: instructorsAreStaff ? 1 : 0,
        });
        return ids;
      });
      return {
        message: `Courses of ${given.issuer} can now lead here, of the deployments ${deployments.join(', ')}.`,
        deployments,
      };
    },
  }),
  defineDatabaseCommand({
    name: 'invite-lms',
    description:
      'prints a link with which the administrator of a learning platform registers it: once, within a day',
    takes: { origin: platformOrigin },
    options: { instructorsAreStaff: grantsStaff },
    async run({ config, loadKeys }, { origin, instructorsAreStaff }) {
      const { server: keys } = await loadKeys();
      const url = createInvitation({ config, keys }, { origin, grantsStaff: instructorsAreStaff });
      const message = `Enter this in ${origin} as the address of dynamic registration:\n\n  ${url}`;
      return { message, url };
    },
  }),
  defineDatabaseCommand({
    name: 'list-lms',
    description: 'lists the registered learning platforms',
    async run({ db }) {
      const platforms = (await listPlatforms(db)).map((row) => ({
        ...row,
        platformId: undefined,
        deployments: JSON.parse(row.deployments) as string[],
        grantsStaff: row.grantsStaff === 1,
      }));
      const lines = platforms.map((row) => {
        const rule = row.grantsStaff ? ', instructors become staff' : '';
        const deployments = row.deployments.join(', ') || 'that of the first launch';
        return `${row.issuer} ${row.clientId} ${row.origin}, deployments ${deployments}${rule}`;
      });
      return { message: lines.join('\n') || 'No learning platform is registered.', platforms };
    },
  }),
  defineDatabaseCommand({
    name: 'unregister-lms',
    description: 'removes a learning platform, and forgets which classes its courses have',
    takes: { issuer, clientId },
    async run({ write }, client) {
      await write(async ({ db }) => {
        const platform = await findPlatformOfClient(db, client);
        if (!platform) throw new Error('there is no such platform: list-lms shows all.');
        await deletePlatform(db, platform.platformId);
      });
      return { message: `Courses of ${client.issuer} no longer lead here.` };
    },
  }),
];
