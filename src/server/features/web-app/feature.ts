// The web app: its built files, the themes of schools, and the manifest and icons by which it is installed. Its routes
// come last, because a page answers every path that no other route has. A browser with a session cookie gets a page that
// also loads the code of members (decision 39).
import { join } from 'node:path';
import { AppError } from '#contract/errors.ts';
import { version } from '#server/base/version.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Feature, Server } from '#server/feature.ts';
import { createAppIcons } from './app-icons.ts';
import type { SchoolThemes } from './themes/school-themes.ts';
import { loadLogo, registerSchoolThemeRoutes, serveWebFiles } from './web-files.ts';
import { serveWebManifest } from './web-manifest.ts';
import { serveWellKnown } from './well-known.ts';

/** @param unmaskingSince the public day since which unmasking is on, or null */
export function createWebApp(
  {
    config,
    webDir,
    sandbox,
    accounts,
    log,
  }: Pick<Server, 'config' | 'webDir' | 'sandbox' | 'accounts' | 'log'>,
  themes: SchoolThemes,
  unmaskingSince: string | null,
): Feature {
  const logosDir = join(config.dataDir, 'logos');
  return {
    routes(route, app) {
      registerSchoolThemeRoutes(route, themes);
      serveWellKnown(app, {
        origin: config.publicUrl.origin,
        supportContact: config.supportContact,
      });
      const icons = createAppIcons((path) => loadLogo(webDir, logosDir, path), sandbox, log);
      serveWebManifest(app, themes, icons, config.appName);
      if (webDir) {
        const meta = toMeta(config, unmaskingSince);
        serveWebFiles(app, webDir, logosDir, meta, config.languages, (headers) =>
          accounts.accounts.hasSessionCookie(headers),
        );
      } else {
        app.notFound(() => {
          throw new AppError('NOT_FOUND');
        });
      }
    },
  };
}

/** Creates the values of the page's meta tags, which the app knows before its first call. */
function toMeta(config: Config, unmaskingSince: string | null): Record<string, string> {
  return {
    'application-name': config.appName,
    'email-domain': config.emailDomains.join(','),
    unmasking: unmaskingSince ?? '',
    version,
    'source-url': config.links.source ?? '',
    'imprint-url': config.links.imprint ?? '',
    'terms-url': config.links.terms ?? '',
    'support-contact': config.supportContact ?? '',
    'sign-on': config.oidc?.label ?? '',
    'password-sign-in': config.passwordSignIn,
    'second-factor': config.secondFactor,
    'class-creation': config.classCreation,
    'time-zone': config.termEnds.timeZone,
    'search-application': config.search.kind === 'algolia' ? config.search.applicationId : '',
  };
}
