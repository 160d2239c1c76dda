// The only reader of the settings: turns flat text into one validated, nested config. settings.ts declares them.
import { delimiter, resolve, sep } from 'node:path';
import type { S3Access } from '#server/base/s3-client.ts';
import { listLanguages, selectCompleteLanguages } from '#server/base/catalogues.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import type { BackupConfig, Config, OidcConfig } from './config-types.ts';
import { formerNames, replaceFormerSettings } from './former-settings.ts';
import { findMisspelledSetting } from './misspelled-setting.ts';
import { isLoopback, loopbackHosts } from './parse-setting.ts';
import { knownPushHosts, parsePushHost, type PushHost } from './push-hosts.ts';
import { toRates } from './rate-settings.ts';
import { findSettingsFiles, loadSettingsFiles } from './settings-files.ts';
import { parseSettings, settingNames, type SettingName, type SettingValues } from './settings.ts';

const allNames: readonly string[] = [...settingNames, ...formerNames];
const algoliaNames = ['ALGOLIA_APP_ID', 'ALGOLIA_SEARCH_KEY', 'ALGOLIA_WRITE_KEY'] as const;

/** Names like those of settings. The server rejects them instead of ignoring them. */
const unsupported = /^(S3|LIMIT)_\w+$/;
/** Kubernetes sets such a variable for each service: `s3` gives `S3_SERVICE_HOST` and `S3_PORT`. */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)$/;

/** The settings that the operator has set, as text. */
type SettingTexts = Partial<Record<SettingName, string>>;

/** Whether browsers on other machines can reach the server, directly or through a proxy. */
export function isPublic({ listen: { host }, publicUrl }: Config): boolean {
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
  return !isLocal || !isLoopback(publicUrl.hostname);
}

/**
 * @param givenEnvironment by default the process's variables and the settings in files
 * @throws {StartupError} for a wrong or contradictory setting
 */
export function loadConfig(givenEnvironment?: NodeJS.ProcessEnv): Config {
  const { environment, warnings } = replaceFormerSettings(
    givenEnvironment ?? loadSettingsFiles(process.env, process.cwd()),
  );
  const files = givenEnvironment ? new Map() : findSettingsFiles(process.env, process.cwd());
  const texts: SettingTexts = {};
  for (const name of settingNames) {
    const text = environment[name]?.trim();
    if (text) texts[name] = text;
  }
  checkNames(environment);
  const values = parseSettings(texts);
  const publicUrl = values.PUBLIC_URL ?? new URL(`http://localhost:${values.PORT}`); // CONF-2
  const timeZone = values.TIME_ZONE ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const emailVerification = values.EMAIL_VERIFICATION ?? (values.SMTP_URL ? 'required' : 'off'); // CONF-11
  const limits = { factor: values.LIMIT_FACTOR, chosen: values.LIMITS ?? [] };
  return {
    appName: values.APP_NAME,
    languages: selectCompleteLanguages(values.LANGUAGES ?? listLanguages()),
    emailDomains: [...new Set(values.EMAIL_DOMAIN.flat())],
    domainAliases: toDomainAliases(values),
    listen: { host: values.HOST, port: values.PORT },
    publicUrl,
    allowedHosts: toAllowedHosts(values, publicUrl),
    dataDir: values.DATA_DIR,
    keyDir: values.KEY_DIR ?? values.DATA_DIR,
    database: toDatabase(values),
    redisUrl: toRedisUrl(values),
    images: toImages(values, texts),
    mail: toMail(values, publicUrl),
    organization: values.ORGANIZATION,
    supportContact: values.SUPPORT_CONTACT,
    links: { source: values.SOURCE_URL, imprint: values.IMPRINT_URL, terms: values.TERMS_URL },
    emailVerification,
    oidc: toOidc(values, texts),
    passwordSignIn: toPasswordSignIn(values),
    secondFactor: toSecondFactor(values),
    operators: toOperators(values, emailVerification),
    helpLine: values.HELP_LINE,
    reportsToHide: values.REPORTS_TO_HIDE,
    unmasking: values.UNMASKING,
    classCreation: values.CLASS_CREATION,
    search: toSearch(values),
    push: {
      hosts: values.PUSH_HOSTS ?? listKnownPushHosts(),
      maxDelayMs: values.PUSH_DELAY * 1000,
    },
    digest: toDigest(values, emailVerification, timeZone),
    termEnds: { terms: values.TERM_ENDS ?? [], timeZone },
    reopenDays: values.REOPEN_DAYS,
    keepFreeGb: values.KEEP_FREE_GB,
    maxPicturesGb: values.MAX_PICTURES_GB,
    retentionDays: values.RETENTION_DAYS,
    unusedAccountMonths: toUnusedMonths(values),
    backups: toBackups(values, timeZone),
    backupS3: toBackupS3(values, texts),
    secretKeyFile: files.get('SECRET_KEY') ?? null,
    secretKey: values.SECRET_KEY,
    newSecretKey: values.NEW_SECRET_KEY,
    metricsToken: toMetricsToken(values),
    trustedProxies: values.TRUSTED_PROXIES,
    limits,
    rates: toRates(limits.factor, limits.chosen), // CONF-15
    warnings,
    sources: new Map(
      settingNames
        .filter((name) => environment[name]?.trim())
        .map((name) => [name, files.has(name) ? 'file' : 'environment']),
    ),
  };
}

/**
 * Removes all settings, because many are secrets: programs that the server starts, and what lists the variables, do not get
 * them.
 */
export function removeSettings(environment = process.env): void {
  for (const name of allNames) delete environment[name];
}

/** Where the system has its commands. */
export const listCommandFolders = () => (process.env['PATH'] ?? '').split(delimiter);

/** @throws {StartupError} for a variable that looks like a setting */
function checkNames(environment: Readonly<Record<string, string | undefined>>): void {
  const currentEnvironment = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !formerNames.includes(name)),
  );
  const misspelled = findMisspelledSetting(currentEnvironment, settingNames);
  if (misspelled) {
    const { name, nearest } = misspelled;
    throw new StartupError(
      `${name} is not a setting. If you mean ${nearest}, rename it; otherwise remove it.`,
    );
  }
  const unsupportedName = Object.keys(environment).find(
    (name) => unsupported.test(name) && !serviceLink.test(name) && !allNames.includes(name),
  );
  if (unsupportedName) {
    throw new StartupError(`${unsupportedName} is not supported by this version: remove it.`);
  }
}

function toDomainAliases({ EMAIL_DOMAIN: domains }: SettingValues): Map<string, string> {
  const aliases = new Map<string, string>();
  for (const [firstName = '', ...otherNames] of domains) {
    for (const alias of otherNames.filter((name) => name !== firstName)) {
      const isNamedTwice = domains.filter((names) => names.includes(alias)).length > 1;
      if (isNamedTwice) {
        throw new StartupError(
          `EMAIL_DOMAIN names ${alias} twice: join all names of one mail domain once, such as a.edu=b.edu=c.edu.`,
        );
      }
      aliases.set(alias, firstName);
    }
  }
  return aliases;
}

function toAllowedHosts({ ALLOWED_HOSTS: allowedHosts }: SettingValues, publicUrl: URL): string[] {
  const hosts = allowedHosts.filter((host) => host !== '');
  return isLoopback(publicUrl.hostname) ? [...hosts, ...loopbackHosts] : hosts;
}

/** The SQLite database of a data folder, whether the settings use it or not. */
export function toSqliteFile(dataDir: string): string {
  return resolve(dataDir, 'backchannel.sqlite');
}

function toDatabase(values: SettingValues): Config['database'] {
  const { DATABASE_URL: url, SECRET_KEY: secretKey } = values;
  if (!url) return { kind: 'sqlite', file: toSqliteFile(values.DATA_DIR) };
  if (!secretKey) {
    throw new StartupError(
      'DATABASE_URL names a shared database, so SECRET_KEY must be set too: every server needs the same one.',
    );
  }
  return { kind: 'postgres', url };
}

function toRedisUrl({ REDIS_URL: url, DATABASE_URL: database }: SettingValues): string | null {
  if (url && !database) {
    throw new StartupError(
      'REDIS_URL connects several nodes on one PostgreSQL database: set DATABASE_URL too, or remove it.',
    );
  }
  return url;
}

function toImages(values: SettingValues, texts: SettingTexts): Config['images'] {
  const { S3_BUCKET: bucket } = values;
  if (!bucket) {
    const unusedName = settingNames.find((name) => name.startsWith('S3_') && texts[name]);
    if (!unusedName) return { kind: 'disk', dir: resolve(values.DATA_DIR, 'images') };
    throw new StartupError(
      `${unusedName} is set without S3_BUCKET: set S3_BUCKET too, or remove it.`,
    );
  }
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values;
  if (!accessKeyId || !secretAccessKey) {
    throw new StartupError(
      'S3_BUCKET needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY of a user who can write to it.',
    );
  }
  const region = values.S3_REGION;
  const endpoint = values.S3_ENDPOINT ?? toAmazonEndpoint(region);
  return { kind: 's3', bucket, endpoint, region, accessKeyId, secretAccessKey };
}

const toAmazonEndpoint = (region: string) => `https://s3.${region}.amazonaws.com`;

/** The keys differ from those of the pictures, because the server's keys may delete pictures. */
function toBackupS3(values: SettingValues, texts: SettingTexts): Omit<S3Access, 'bucket'> | null {
  const givenName = settingNames.find((name) => name.startsWith('BACKUP_S3_') && texts[name]);
  if (!givenName) return null;
  const accessKeyId = values.BACKUP_S3_ACCESS_KEY_ID;
  const secretAccessKey = values.BACKUP_S3_SECRET_ACCESS_KEY;
  if (!accessKeyId || !secretAccessKey) {
    throw new StartupError(
      `${givenName} is set, so BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY must be set too.`,
    );
  }
  const region = values.BACKUP_S3_REGION;
  const endpoint = values.BACKUP_S3_ENDPOINT ?? toAmazonEndpoint(region);
  return { endpoint, region, accessKeyId, secretAccessKey };
}

function toMail(values: SettingValues, publicUrl: URL): Config['mail'] {
  const name = values.APP_NAME.replace(/["\\]/g, '');
  const from = values.MAIL_FROM ?? `"${name}" <no-reply@${publicUrl.hostname}>`;
  if (values.SMTP_URL) return { kind: 'smtp', url: values.SMTP_URL, from };
  return { kind: 'folder', dir: resolve(values.DATA_DIR, 'mail'), from };
}

function toOidc(values: SettingValues, texts: SettingTexts): OidcConfig | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = values;
  const { OIDC_CLIENT_SECRET: clientSecret, OIDC_LABEL: label } = values;
  if (!issuer) {
    const unusedName = settingNames.find((name) => name.startsWith('OIDC_') && texts[name]);
    if (!unusedName) return null;
    throw new StartupError(
      `${unusedName} is set without OIDC_ISSUER: set OIDC_ISSUER too, or remove it.`,
    );
  }
  if (!clientId || !clientSecret) {
    throw new StartupError(
      'OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET of a client that your provider knows.',
    );
  }
  return { issuer, clientId, clientSecret, label };
}

function toPasswordSignIn(values: SettingValues): 'on' | 'off' {
  if (values.PASSWORD_SIGN_IN === 'off' && !values.OIDC_ISSUER) {
    throw new StartupError(
      'PASSWORD_SIGN_IN is off, but OIDC_ISSUER is not set, so no one could sign in: set it, or use on.',
    );
  }
  return values.PASSWORD_SIGN_IN;
}

function toSecondFactor(values: SettingValues): Config['secondFactor'] {
  if (!values.OIDC_ISSUER) return values.SECOND_FACTOR;
  if (values.SECOND_FACTOR === 'required') {
    throw new StartupError(
      'SECOND_FACTOR is required, but with OIDC_ISSUER the provider asks for a second factor: demand it there, and remove SECOND_FACTOR.',
    );
  }
  return 'off';
}

function toOperators(
  { OPERATORS: addresses }: SettingValues,
  emailVerification: Config['emailVerification'],
): string[] {
  if (!addresses) return [];
  if (emailVerification === 'off') {
    throw new StartupError(
      'OPERATORS needs EMAIL_VERIFICATION=required: without it, anyone can sign up with such an address. Use npm run admin -- grant-operator instead.',
    );
  }
  return [...new Set(addresses)];
}

function toSearch(values: SettingValues): Config['search'] {
  const {
    ALGOLIA_APP_ID: applicationId,
    ALGOLIA_SEARCH_KEY: searchKey,
    ALGOLIA_WRITE_KEY: writeKey,
  } = values;
  const givenName = algoliaNames.find((name) => values[name]);
  if (!givenName) return { kind: 'builtin' };
  if (!applicationId || !searchKey || !writeKey) {
    const missingName = algoliaNames.find((name) => !values[name]);
    throw new StartupError(`${givenName} is set, so ${missingName} must be set too.`);
  }
  if (searchKey === writeKey) {
    throw new StartupError(
      'ALGOLIA_SEARCH_KEY and ALGOLIA_WRITE_KEY are equal. Browsers get keys derived from the first, so it must be a key that can only search.',
    );
  }
  return { kind: 'algolia', applicationId, searchKey, writeKey };
}

function listKnownPushHosts(): PushHost[] {
  return knownPushHosts.map(parsePushHost).filter((host) => host !== null);
}

/** Requires verified addresses: otherwise someone could have mails sent to an address of someone else. */
function toDigest(
  { DIGEST_TIME: startMinute, SMTP_URL: smtpUrl }: SettingValues,
  emailVerification: Config['emailVerification'],
  timeZone: string,
): Config['digest'] {
  if (startMinute === null || !smtpUrl || emailVerification === 'off') return null;
  return { startMinute, timeZone };
}

function toUnusedMonths({ UNUSED_ACCOUNT_MONTHS: months, SMTP_URL: smtpUrl }: SettingValues) {
  if (months !== null && !smtpUrl) {
    throw new StartupError(
      'UNUSED_ACCOUNT_MONTHS needs SMTP_URL: accounts are asked by mail before they are deleted.',
    );
  }
  return months;
}

/** In the night: 03:30. */
const backupMinute = 3 * 60 + 30; // BACKUP-14

function toBackups(values: SettingValues, timeZone: string): BackupConfig | null {
  const { BACKUP_DIR: dir, DATA_DIR: dataDir } = values;
  if (!dir) return null;
  if (dir === dataDir || dir.startsWith(`${dataDir}${sep}`)) {
    throw new StartupError(
      `BACKUP_DIR is ${dir}, in the data folder: use a folder of its own, best on another disk.`,
    );
  }
  return { dir, time: { startMinute: backupMinute, timeZone } };
}

/** The token must not open anything else. The error does not repeat the token. */
function toMetricsToken(values: SettingValues): string | null {
  const { METRICS_TOKEN: token, SECRET_KEY: secretKey, NEW_SECRET_KEY: newSecretKey } = values;
  if (token !== null && (token === secretKey || token === newSecretKey)) {
    throw new StartupError(
      'METRICS_TOKEN equals the server key, which monitors must not know: use another value.',
    );
  }
  return token;
}
