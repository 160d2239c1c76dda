// The features, in the order in which their routes are registered and they start. Those
// of `NamedFeatures` come before.
import { registerOwnAccountRoutes } from './accounts/own-account.ts';
import {
  registerPasswordResetRoutes,
  registerSessionRoutes,
  registerSignUpRoutes,
} from './accounts/routes.ts';
import { createEndings } from './endings/feature.ts';
import type { Feature, Server } from './feature.ts';
import { createSupport } from './features/account-support/feature.ts';
import type { createAnnouncements } from './features/announcements/feature.ts';
import { createBackups } from './features/backups/feature.ts';
import { getBackupAgeHours } from './features/backups/newest-backup.ts';
import { createClassAdmin } from './features/class-admin/feature.ts';
import type { createClassSearch } from './features/class-search/feature.ts';
import { createClasses } from './features/classes/feature.ts';
import { createHealth } from './features/health/feature.ts';
import type { Warnings } from './features/health/warnings.ts';
import { createLectures } from './features/lectures/feature.ts';
import { createLti } from './features/lti/feature.ts';
import { createCourseCookie } from './features/lti/course.ts';
import { createMessageSearch } from './features/message-search/feature.ts';
import { createModeration } from './features/moderation/feature.ts';
import {
  toPublicSetting,
  type Unmasking,
} from './features/moderation/unmasking/unmasking-setting.ts';
import { createDigests, type Notifications } from './features/notifications/feature.ts';
import { createPolls } from './features/polls/feature.ts';
import { createPrivateQuestions } from './features/private-questions/feature.ts';
import { createQuestions } from './features/questions/feature.ts';
import { listHeldRoles } from './chat/staff/roles.ts';
import type { createRoleAdmin } from './features/roles/feature.ts';
import { createSecondFactor } from './features/second-factor/feature.ts';
import type { SecondFactor } from './features/second-factor/second-factor.ts';
import type { createProviderSignIn } from './features/sign-on/feature.ts';
import { createTopics } from './features/topics/feature.ts';
import { createWebApp } from './features/web-app/feature.ts';
import type { SchoolThemes } from './features/web-app/themes/school-themes.ts';
import { serveImageFiles, registerImageRoutes } from './pictures/routes.ts';

/** What is opened earlier (open-server.ts), because accounts, the server or other features ask it. */
export interface NamedFeatures {
  /** Each socket gets those in force when it opens. */
  announcements: ReturnType<typeof createAnnouncements>;
  /** Mails, accounts, sockets and the deletion of an account ask what it knows. */
  notifications: Notifications;
  /** The call `me` notes that the account read its roles. */
  roleAdmin: ReturnType<typeof createRoleAdmin>;
  /** Calls need its proof. */
  secondFactor: SecondFactor;
  /** Confirming an identity, and signing out, can need the provider. */
  signOn: Awaited<ReturnType<typeof createProviderSignIn>>;
  /** Metrics count what waits for a hosted index, and the content policy names its hosts. */
  classSearch: Awaited<ReturnType<typeof createClassSearch>>;
  themes: SchoolThemes;
  unmasking: Unmasking;
  warnings: Warnings;
}

/** Longer queues of the database appear with this length in the metrics. */
export const maxCounted = 1000;

/** Null: switched off by a setting. */
type CreateFeature = (server: Server, named: NamedFeatures) => Feature | null;

export const createFeatures: readonly CreateFeature[] = [
  (server, { roleAdmin, signOn }) => createAccountCalls(server, roleAdmin, signOn),
  (server, { secondFactor }) => createSecondFactor(server, secondFactor),
  createClasses,
  createMessageSearch,
  createQuestions,
  createPrivateQuestions,
  createPolls,
  createLectures,
  createTopics,
  (server, { unmasking, notifications }) =>
    createModeration(server, unmasking, notifications.notifyModerator),
  createSupport,
  createClassAdmin,
  (server, { warnings, classSearch }) => {
    const { backups } = server.config;
    return createHealth(
      server,
      warnings,
      () => backups && getBackupAgeHours(backups),
      () => classSearch.countWaiting(maxCounted),
    );
  },
  createEndings,
  (server, { notifications }) => createDigests(server, notifications),
  createBackups,
  createLti,
  createPictureCalls,
  (server, { themes, unmasking }) => createWebApp(server, themes, toPublicSetting(unmasking).since),
];

/** The calls of the room of accounts, which ask features. */
function createAccountCalls(
  server: Server,
  { noteRead }: NamedFeatures['roleAdmin'],
  { signOn }: NamedFeatures['signOn'],
): Feature {
  const { keys, accounts, suspendedAccounts } = server;
  return {
    routes(route) {
      registerSignUpRoutes(route, accounts, server);
      registerPasswordResetRoutes(route, accounts, server);
      registerSessionRoutes(route, accounts, keys.deriveAccountKey, {
        isSuspended: suspendedAccounts.isSuspended,
        createSignedOutCookies: () => [
          createCourseCookie(server, null),
          ...(signOn ? [signOn.createSignedOutCookie()] : []),
        ],
        async listRoles(account) {
          await noteRead(account.id);
          return (await listHeldRoles(server, account)).map(({ classId, role }) => ({
            classId,
            role,
          }));
        },
      });
      registerOwnAccountRoutes(
        route,
        accounts,
        server.checkIdentity,
        (commits, account, keepMessages) =>
          server.removeAccount(commits, account, { keepMessages }),
        server,
      );
    },
  };
}

/** The calls of the room of pictures. */
function createPictureCalls({ images, viewers, callLimits }: Server): Feature {
  return {
    routes(route, app) {
      registerImageRoutes(route, images);
      serveImageFiles(app, viewers, callLimits, images);
    },
  };
}
