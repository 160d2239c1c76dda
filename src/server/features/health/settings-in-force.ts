// The settings in force, for operators. They may not know secrets, and no address of an account leaves the server.
import type { SettingInForce } from '#contract/admin.ts';
import type { Config, SettingName } from '#server/config/config.ts';
import { formatTerm } from '#server/config/config.ts';
import { formatRates } from '#server/config/read-rates.ts';

type Show = (config: Config) => string;

/** A secret shows only whether it is set. */
const secret =
  (name: SettingName, otherwise = 'not set'): Show =>
  ({ sources }) =>
    sources.has(name) ? 'set' : otherwise;

/** User names, passwords and parameters can be secret. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

const orNone = (value: string | null) => value ?? 'not set';
const orNever = (value: number | null) => (value === null ? 'never' : String(value));
const s3 = ({ images }: Config) => (images.kind === 's3' ? images : null);

/** A setting without an entry does not compile. */
const shown: Record<SettingName, Show> = {
  PORT: ({ listen }) => String(listen.port),
  HOST: ({ listen }) => listen.host,
  PUBLIC_URL: ({ publicUrl }) => publicUrl.origin,
  ALLOWED_HOSTS: ({ allowedHosts }) => allowedHosts.join(', ') || 'only that of PUBLIC_URL',
  APP_NAME: ({ appName }) => appName,
  EMAIL_DOMAIN: ({ emailDomains }) => emailDomains.join(', '),
  EMAIL_TAGS: ({ mailboxes }) => mailboxes.tags,
  EMAIL_DOTS: ({ mailboxes }) => mailboxes.dots,
  DATA_DIR: ({ dataDir }) => dataDir,
  DATABASE_URL: ({ database }) =>
    database.kind === 'postgres' ? withoutSecrets(database.url) : 'SQLite in DATA_DIR',
  REDIS_URL: ({ redisUrl }) => (redisUrl === null ? 'one server' : withoutSecrets(redisUrl)),
  S3_BUCKET: (config) => s3(config)?.bucket ?? 'pictures are in DATA_DIR',
  S3_ENDPOINT: (config) => (s3(config) ? withoutSecrets(s3(config)?.endpoint ?? '') : 'not used'),
  S3_REGION: (config) => s3(config)?.region ?? 'not used',
  S3_ACCESS_KEY_ID: secret('S3_ACCESS_KEY_ID'),
  S3_SECRET_ACCESS_KEY: secret('S3_SECRET_ACCESS_KEY'),
  SMTP_URL: ({ mail }) => (mail.kind === 'smtp' ? withoutSecrets(mail.url) : 'files in DATA_DIR'),
  MAIL_FROM: ({ mail }) => mail.from,
  ORGANIZATION: ({ organization }) => orNone(organization),
  SUPPORT_CONTACT: ({ supportContact }) => orNone(supportContact),
  SOURCE_URL: ({ links }) => orNone(links.source),
  IMPRINT_URL: ({ links }) => orNone(links.imprint),
  TERMS_URL: ({ links }) => orNone(links.terms),
  EMAIL_VERIFICATION: ({ emailVerification }) => emailVerification,
  OPERATORS: ({ operators }) =>
    operators.length === 0 ? 'not set' : `${operators.length} addresses`,
  HELP_LINE: ({ helpLine }) => orNone(helpLine),
  REPORTS_TO_HIDE: ({ reportsToHide }) => String(reportsToHide),
  UNMASKING: ({ unmasking }) => unmasking,
  CLASS_CREATION: ({ classCreation }) => classCreation,
  SECRET_KEY: secret('SECRET_KEY', 'generated in DATA_DIR'),
  NEW_SECRET_KEY: secret('NEW_SECRET_KEY'),
  SEARCH: ({ search }) => search.kind,
  OIDC_ISSUER: ({ oidc }) => oidc?.issuer.href ?? 'not set',
  OIDC_CLIENT_ID: ({ oidc }) => oidc?.clientId ?? 'not used',
  OIDC_CLIENT_SECRET: secret('OIDC_CLIENT_SECRET'),
  OIDC_LABEL: ({ oidc }) => oidc?.label ?? 'not used',
  PASSWORD_SIGN_IN: ({ passwordSignIn }) => passwordSignIn,
  ALGOLIA_APP_ID: ({ search }) => (search.kind === 'algolia' ? search.applicationId : 'not used'),
  ALGOLIA_SEARCH_KEY: secret('ALGOLIA_SEARCH_KEY'),
  ALGOLIA_WRITE_KEY: secret('ALGOLIA_WRITE_KEY'),
  PUSH_HOSTS: ({ push }) =>
    push.hosts.map(({ host, isWildcard }) => (isWildcard ? `*.${host}` : host)).join(', ') ||
    'none',
  PUSH_DELAY: ({ push }) => String(push.maxDelayMs / 1000),
  DIGEST_TIME: ({ digest }) => (digest ? clock(digest.startMinute) : 'off'),
  TIME_ZONE: ({ termEnds }) => termEnds.timeZone,
  TERM_ENDS: ({ termEnds }) => termEnds.terms.map(formatTerm).join(', ') || 'not set',
  REOPEN_DAYS: ({ reopenDays }) => String(reopenDays),
  KEEP_FREE_GB: ({ keepFreeGb }) => String(keepFreeGb),
  MAX_PICTURES_GB: ({ maxPicturesGb, images }) =>
    String(maxPicturesGb ?? (images.kind === 'disk' ? 'half of the disk' : 'no limit')),
  RETENTION_DAYS: ({ retentionDays }) => orNever(retentionDays),
  UNUSED_ACCOUNT_MONTHS: ({ unusedAccountMonths }) => orNever(unusedAccountMonths),
  BACKUP_DIR: ({ backups }) => orNone(backups?.dir ?? null),
  BACKUP_AT: ({ backups }) => (backups ? clock(backups.time.startMinute) : 'not used'),
  BACKUP_S3_ENDPOINT: ({ backupS3 }) => (backupS3 ? withoutSecrets(backupS3.endpoint) : 'not used'),
  BACKUP_S3_REGION: ({ backupS3 }) => backupS3?.region ?? 'not used',
  BACKUP_S3_ACCESS_KEY_ID: secret('BACKUP_S3_ACCESS_KEY_ID'),
  BACKUP_S3_SECRET_ACCESS_KEY: secret('BACKUP_S3_SECRET_ACCESS_KEY'),
  TRUSTED_PROXIES: ({ trustedProxies }) => String(trustedProxies),
  METRICS_TOKEN: secret('METRICS_TOKEN'),
};

const two = (value: number) => String(value).padStart(2, '0');
const clock = (minute: number) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;

/** Those that the server started with, in the order of the documentation. */
export function settingsInForce(config: Config): SettingInForce[] {
  const settings = Object.entries(shown).map(([name, show]) => [name, show(config)] as const);
  return [...settings, ...formatRates(config.rates)].map(([setting, value]) => ({
    setting,
    settingValue: value,
    source: config.sources.get(setting) ?? 'default',
  }));
}
