// The only reader of the settings: turns flat text into one validated, nested config.
import { delimiter, resolve, sep } from 'node:path';
import { semesterSeasons } from '#contract/class-fields.ts';
import { isMailable } from '#contract/email-address.ts';
import { isTimeZone } from '#contract/notifications.ts';
import { isPlainLine } from '#contract/text.ts';
import type { DailyTime } from '#server/base/daily-clock.ts';
import type { SemesterSeason } from '#contract/class-fields.ts';
import { dateOf, dayOf, formatDay } from '#server/base/days.ts';
import type { Rates } from '#server/base/rates.ts';
import { rateSettings, readRates } from './read-rates.ts';
import { findMisspelledSetting } from './misspelled-setting.ts';
import { listSettingsInFiles, readSettingsFiles } from './settings-files.ts';
import { knownPushHosts, parsePushHost, type PushHost } from './push-hosts.ts';
import type { S3Access } from '#server/base/s3-client.ts';
import { StartupError } from '#server/base/startup-failure.ts';

/** `ignored`: addresses that differ only in this part belong to one account. */
export interface MailboxRules {
  tags: 'ignored' | 'distinct';
  dots: 'ignored' | 'distinct';
}

export interface Term {
  season: SemesterSeason;
  /**
   * In days since 1970, on the clock of the school. A class that is created later, or has a later year, belongs to the
   * next term of this season.
   */
  lastDay: number;
}

export interface Config {
  appName: string;
  /** At least one, in the operator's order. */
  emailDomains: readonly string[];
  /** Which parts of an address distinguish accounts. */
  mailboxes: MailboxRules;
  listen: { host: string; port: number };
  /** The origin that links and cookies use. */
  publicUrl: URL;
  /** Host names (without ports) that requests may use in addition to the host of `publicUrl`. */
  allowedHosts: readonly string[];
  dataDir: string;
  database: { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };
  /** Connects several nodes on one database; null for a single server. */
  redisUrl: string | null;
  images: { kind: 'disk'; dir: string } | S3Config;
  mail: { kind: 'smtp'; url: string; from: string } | { kind: 'folder'; dir: string; from: string };
  /** The operator's name in mails; null omits it. */
  organization: string | null;
  /** The contact address or page in mails; null omits it. */
  supportContact: string | null;
  /** Pages that the app links to; null omits the link. */
  links: { source: string | null; imprint: string | null; terms: string | null };
  emailVerification: 'required' | 'off';
  /** The university's OpenID Connect provider; null if only passwords sign in. */
  oidc: OidcConfig | null;
  passwordSignIn: 'on' | 'off';
  /** Addresses of accounts that moderate all classes, in lower case. */
  operators: readonly string[];
  /** The school's help line for reports of threats; null omits it. */
  helpLine: string | null;
  /** The number of reports by different members that hide a message; 0 for never. */
  reportsToHide: number;
  /** Whether two operators together can find the account behind a persona. */
  unmasking: 'on' | 'off';
  /** Who may create classes. */
  classCreation: 'everyone' | 'operators';
  search: { kind: 'builtin' } | HostedSearch;
  push: {
    /** Where browsers may have their push service; empty turns push off. */
    hosts: readonly PushHost[];
    /** Each notification waits for a random part of it. */
    maxDelayMs: number;
  };
  /** Null if no digests are sent. */
  digest: DailyTime | null;
  /** When terms end by themselves, on the calendar of the time zone. */
  termEnds: { terms: readonly Term[]; timeZone: string };
  /** For how many days an ended class can be reopened; 0 removes its links to accounts at once. */
  reopenDays: number;
  /** What uploads leave free on each disk; 0 for nothing. */
  keepFreeGb: number;
  /** What all pictures and PDFs can need together; null for the default. */
  maxPicturesGb: number | null;
  /** How long messages of ended classes are kept; null for ever. */
  retentionDays: number | null;
  /** After how many months unused accounts are asked and go; null for never. */
  unusedAccountMonths: number | null;
  /** Null if the server makes no backups. */
  backups: BackupConfig | null;
  /** For backups in S3; null without keys. */
  backupS3: Omit<S3Access, 'bucket'> | null;
  /** Set by the operator. If null, the server generates the key in `dataDir`. */
  secretKey: string | null;
  /** For `npm run admin -- new-key` if the operator keeps the key in SECRET_KEY. */
  newSecretKey: string | null;
  /** Lets monitors on other machines read the metrics; null if only this machine may. */
  metricsToken: string | null;
  /** The number of trusted X-Forwarded-For hops. */
  trustedProxies: number;
  rates: Rates;
  /** Where each setting that has a value comes from. All others have their default. */
  sources: ReadonlyMap<string, 'environment' | 'file'>;
}

export interface OidcConfig {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  /** Follows 'Sign in with'. */
  label: string;
}

/** The backups that the server makes once a day. */
export interface BackupConfig {
  dir: string;
  time: DailyTime;
}

export interface S3Config extends S3Access {
  kind: 's3';
}

/** A hosted search index that is run by a third party. */
export interface HostedSearch {
  kind: 'algolia';
  applicationId: string;
  /** The server derives the browsers' keys from it. */
  searchKey: string;
  writeKey: string;
}

const algoliaNames = ['ALGOLIA_APP_ID', 'ALGOLIA_SEARCH_KEY', 'ALGOLIA_WRITE_KEY'] as const;
const oidcNames = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_LABEL'] as const;
const names = [
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'ALLOWED_HOSTS',
  'APP_NAME',
  'EMAIL_DOMAIN',
  'EMAIL_TAGS',
  'EMAIL_DOTS',
  'DATA_DIR',
  'DATABASE_URL',
  'REDIS_URL',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SMTP_URL',
  'MAIL_FROM',
  'ORGANIZATION',
  'SUPPORT_CONTACT',
  'SOURCE_URL',
  'IMPRINT_URL',
  'TERMS_URL',
  'EMAIL_VERIFICATION',
  ...oidcNames,
  'PASSWORD_SIGN_IN',
  'OPERATORS',
  'HELP_LINE',
  'REPORTS_TO_HIDE',
  'UNMASKING',
  'CLASS_CREATION',
  'SECRET_KEY',
  'NEW_SECRET_KEY',
  'SEARCH',
  ...algoliaNames,
  'PUSH_HOSTS',
  'PUSH_DELAY',
  'DIGEST_TIME',
  'TIME_ZONE',
  'TERM_ENDS',
  'REOPEN_DAYS',
  'KEEP_FREE_GB',
  'MAX_PICTURES_GB',
  'RETENTION_DAYS',
  'UNUSED_ACCOUNT_MONTHS',
  'BACKUP_DIR',
  'BACKUP_AT',
  'BACKUP_S3_ENDPOINT',
  'BACKUP_S3_REGION',
  'BACKUP_S3_ACCESS_KEY_ID',
  'BACKUP_S3_SECRET_ACCESS_KEY',
  'TRUSTED_PROXIES',
  'METRICS_TOKEN',
] as const;

export type SettingName = (typeof names)[number];

/** Planned settings that this version does not support. The server rejects them instead of ignoring them. */
const unsupported = /^S3_\w+$/;
/** Kubernetes sets such a variable for each service: `s3` gives `S3_SERVICE_HOST` and `S3_PORT`. */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)$/;

type Flat = Partial<Record<SettingName, string>>;

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
const loopback = ['localhost', '127.0.0.1', '[::1]'];
const isLoopback = (host: string) => loopback.includes(host) || host.endsWith('.localhost');

/** Whether browsers on other machines can reach the server, directly or through a proxy. */
export function isPublic({ listen: { host }, publicUrl }: Config): boolean {
  const isLocal = /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
  return !isLocal || !isLoopback(publicUrl.hostname);
}

/**
 * @param given by default the process's variables and the settings in files
 * @throws {StartupError} for a wrong or contradictory setting
 */
export function readConfig(given?: NodeJS.ProcessEnv): Config {
  const environment = given ?? readSettingsFiles(process.env, process.cwd());
  const inFiles = given ? new Set() : listSettingsInFiles(process.env, process.cwd());
  const flat: Flat = {};
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) flat[name] = value;
  }
  const misspelled = findMisspelledSetting(environment, [...names, ...rateSettings]);
  if (misspelled) {
    const { name, nearest } = misspelled;
    throw new StartupError(
      `${name} is not a setting. If you mean ${nearest}, rename it; otherwise remove it.`,
    );
  }
  const unsupportedName = Object.keys(environment).find(
    (name) =>
      unsupported.test(name) &&
      !serviceLink.test(name) &&
      !(names as readonly string[]).includes(name),
  );
  if (unsupportedName)
    throw new StartupError(`${unsupportedName} is not supported by this version: remove it.`);
  const port = readPort(flat.PORT ?? '3000'); // CONF-1
  const publicUrl = readPublicUrl(flat.PUBLIC_URL ?? `http://localhost:${port}`); // CONF-2
  const dataDir = resolve(flat.DATA_DIR ?? 'data'); // CONF-6
  const appName = flat.APP_NAME ?? 'Backchannel'; // CONF-4
  if (appName.length > 40 || !isPlainLine(appName)) {
    throw new StartupError('APP_NAME must be one line of at most 40 characters.');
  }
  return {
    appName,
    emailDomains: readEmailDomains(flat.EMAIL_DOMAIN ?? 'university.edu'), // CONF-5, CONF-37
    mailboxes: {
      tags: readDistinct('EMAIL_TAGS', flat.EMAIL_TAGS ?? 'ignored'), // CONF-38
      dots: readDistinct('EMAIL_DOTS', flat.EMAIL_DOTS ?? 'distinct'), // CONF-39
    },
    listen: { host: flat.HOST ?? '127.0.0.1', port }, // CONF-1
    publicUrl,
    allowedHosts: readAllowedHosts(flat.ALLOWED_HOSTS, publicUrl),
    dataDir,
    database: readDatabase(flat, dataDir),
    redisUrl: readRedisUrl(flat), // CONF-8
    images: readImages(flat, dataDir),
    mail: readMail(flat, dataDir, publicUrl, appName),
    organization: readOrganization(flat),
    supportContact: readSupportContact(flat),
    links: {
      source: readLink(flat, 'SOURCE_URL'), // CONF-42
      imprint: readLink(flat, 'IMPRINT_URL'), // CONF-43
      terms: readLink(flat, 'TERMS_URL'),
    },
    emailVerification: readVerification(flat),
    oidc: readOidc(flat), // OIDC-1
    passwordSignIn: readPasswordSignIn(flat), // OIDC-10
    operators: readOperators(flat), // MOD-2
    helpLine: readHelpLine(flat), // MOD-8
    reportsToHide: readReportsToHide(flat.REPORTS_TO_HIDE ?? '3'), // MOD-11
    unmasking: readUnmasking(flat.UNMASKING ?? 'off'), // UNMASK-1
    classCreation: readClassCreation(flat.CLASS_CREATION ?? 'everyone'), // CREATE-20
    search: readSearch(flat),
    push: {
      hosts: readPushHosts(flat.PUSH_HOSTS), // PUSH-4
      maxDelayMs: readPushDelay(flat.PUSH_DELAY ?? '10'), // PUSH-24
    },
    digest: readDigest(flat),
    termEnds: { terms: readTermEnds(flat), timeZone: readTimeZone(flat) }, // TERM-1
    reopenDays: readReopenDays(flat), // ADMIN-40
    keepFreeGb: readKeepFreeGb(flat), // PIC-82
    maxPicturesGb: readMaxPicturesGb(flat), // PIC-85
    retentionDays: readRetentionDays(flat), // RETAIN-1
    unusedAccountMonths: readUnusedMonths(flat), // RETAIN-4
    backups: readBackups(flat, dataDir),
    backupS3: readBackupS3(flat), // BACKUP-20
    secretKey: readSecretKey(flat, 'SECRET_KEY'),
    newSecretKey: readSecretKey(flat, 'NEW_SECRET_KEY'),
    metricsToken: readMetricsToken(flat), // METRIC-4
    trustedProxies: readTrustedProxies(flat.TRUSTED_PROXIES ?? '0'), // CONF-13
    rates: readRates(environment), // CONF-15
    sources: new Map(
      [...names, ...rateSettings]
        .filter((name) => environment[name]?.trim())
        .map((name) => [name, inFiles.has(name) ? 'file' : 'environment']),
    ),
  };
}

/**
 * Removes all settings, because many are secrets: programs that the server starts, and what lists the variables, do not get
 * them.
 */
export function removeSettings(environment = process.env): void {
  for (const name of [...names, ...rateSettings]) delete environment[name];
}

/** Where the system has its commands. */
export const commandFolders = () => (process.env['PATH'] ?? '').split(delimiter);

function readEmailDomains(text: string): string[] {
  const domains = text.split(',').map((domain) => domain.trim().toLowerCase());
  const wrong = domains.find(
    (domain) => !hostName.test(domain) || !/\.[a-z][a-z0-9-]*$/.test(domain),
  );
  if (wrong === undefined) return [...new Set(domains)];
  throw new StartupError(
    `EMAIL_DOMAIN contains "${wrong}", which is not a domain name: use for example university.edu or university.edu,students.university.edu, without an @.`,
  );
}

function readDistinct(name: string, value: string): 'ignored' | 'distinct' {
  if (value === 'ignored' || value === 'distinct') return value;
  throw new StartupError(`${name} is "${value}": use ignored or distinct.`);
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new StartupError(`PORT is "${text}": use a number from 1 to 65535.`);
  }
  return port;
}

function readPublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new StartupError(
      `PUBLIC_URL is "${text}": use an origin such as https://chat.university.edu, with no path.`,
    );
  }
  if (url.username || url.password) {
    throw new StartupError('PUBLIC_URL contains a user name or password: remove them.');
  }
  return url;
}

function readAllowedHosts(text: string | undefined, publicUrl: URL): string[] {
  const hosts = (text ?? '')
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
  const wrong = hosts.find((host) => !hostName.test(host));
  if (wrong) {
    throw new StartupError(
      `ALLOWED_HOSTS contains "${wrong}": list bare host names, separated by commas, without scheme or port.`,
    );
  }
  return isLoopback(publicUrl.hostname) ? [...hosts, ...loopback] : hosts;
}

/** The SQLite database of a data folder, whether the settings use it or not. */
export function sqliteFileOf(dataDir: string): string {
  return resolve(dataDir, 'backchannel.sqlite');
}

function readDatabase(flat: Flat, dataDir: string): Config['database'] {
  const url = flat.DATABASE_URL;
  if (!url) return { kind: 'sqlite', file: sqliteFileOf(dataDir) };
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new StartupError(
      'DATABASE_URL must begin with postgres://. For SQLite, remove it: the file is in DATA_DIR.',
    );
  }
  if (!URL.canParse(url)) throw new StartupError('DATABASE_URL is not a complete URL.');
  if (!flat.SECRET_KEY) {
    throw new StartupError(
      'DATABASE_URL names a shared database, so SECRET_KEY must be set too: every server needs the same one.',
    );
  }
  return { kind: 'postgres', url };
}

function readRedisUrl({ REDIS_URL: url, DATABASE_URL: database }: Flat): string | null {
  if (!url) return null;
  if (!/^rediss?:\/\/./.test(url) || !URL.canParse(url) || !URL.parse(url)?.hostname) {
    throw new StartupError(
      'REDIS_URL must look like redis://user:password@host:6379, or rediss:// for TLS.',
    );
  }
  if (!database) {
    throw new StartupError(
      'REDIS_URL connects several nodes on one PostgreSQL database: set DATABASE_URL too, or remove it.',
    );
  }
  return url;
}

function readImages(flat: Flat, dataDir: string): Config['images'] {
  const { S3_BUCKET: bucket } = flat;
  if (!bucket) {
    const unusedName = names.find((name) => name.startsWith('S3_') && flat[name]);
    if (!unusedName) return { kind: 'disk', dir: resolve(dataDir, 'images') };
    throw new StartupError(
      `${unusedName} is set without S3_BUCKET: set S3_BUCKET too, or remove it.`,
    );
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new StartupError(`S3_BUCKET is "${bucket}", which is not a bucket name.`);
  }
  const place = readS3Place(flat, '');
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = flat;
  if (!accessKeyId || !secretAccessKey) {
    throw new StartupError(
      'S3_BUCKET needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY of a user who can write to it.',
    );
  }
  return { kind: 's3', bucket, ...place, accessKeyId, secretAccessKey };
}

function readS3Place(flat: Flat, prefix: '' | 'BACKUP_'): Pick<S3Access, 'endpoint' | 'region'> {
  const region = flat[`${prefix}S3_REGION`] ?? 'us-east-1';
  if (!/^[a-z0-9-]{1,40}$/.test(region)) {
    throw new StartupError(`${prefix}S3_REGION is "${region}": use a name such as eu-central-1.`);
  }
  const endpoint = flat[`${prefix}S3_ENDPOINT`] ?? `https://s3.${region}.amazonaws.com`;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new StartupError(
      `${prefix}S3_ENDPOINT must look like https://s3.university.edu, without keys and without the bucket.`,
    );
  }
  return { endpoint: url.href.replace(/\/$/, ''), region };
}

/** Keys of their own, because the server's keys may delete pictures. */
function readBackupS3(flat: Flat): Config['backupS3'] {
  const given = names.find((name) => name.startsWith('BACKUP_S3_') && flat[name]);
  if (!given) return null;
  const { BACKUP_S3_ACCESS_KEY_ID: accessKeyId, BACKUP_S3_SECRET_ACCESS_KEY: secretAccessKey } =
    flat;
  if (!accessKeyId || !secretAccessKey) {
    throw new StartupError(
      `${given} is set, so BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY must be set too.`,
    );
  }
  return { ...readS3Place(flat, 'BACKUP_'), accessKeyId, secretAccessKey };
}

function readMail(flat: Flat, dataDir: string, publicUrl: URL, appName: string): Config['mail'] {
  const name = appName.replace(/["\\]/g, '');
  const from = flat.MAIL_FROM ?? `"${name}" <no-reply@${publicUrl.hostname}>`;
  const sender = /^[^\r\n<>@]+ <(.+)>$/.exec(from)?.[1] ?? from;
  if (flat.MAIL_FROM && !isMailable(sender)) {
    throw new StartupError(`MAIL_FROM is "${from}": use an address such as chat@university.edu.`);
  }
  if (!flat.SMTP_URL) return { kind: 'folder', dir: resolve(dataDir, 'mail'), from };
  if (!/^smtps?:\/\//.test(flat.SMTP_URL) || !URL.canParse(flat.SMTP_URL)) {
    throw new StartupError('SMTP_URL must look like smtp://user:password@mail.university.edu:587.');
  }
  return { kind: 'smtp', url: flat.SMTP_URL, from };
}

function readOrganization({ ORGANIZATION: name }: Flat): string | null {
  if (name && (name.length > 100 || !isPlainLine(name))) {
    throw new StartupError(
      'ORGANIZATION must be one line of at most 100 characters, such as Riverside University.',
    );
  }
  return name ?? null;
}

function readSupportContact({ SUPPORT_CONTACT: contact }: Flat): string | null {
  const isAddress = isMailable(contact ?? '');
  const isPage = /^https?:\/\/\S+$/.test(contact ?? '') && URL.canParse(contact ?? '');
  if (contact && ((!isAddress && !isPage) || contact.length > 200 || !isPlainLine(contact))) {
    throw new StartupError(
      `SUPPORT_CONTACT is "${contact}": use an address such as help@university.edu, or a URL.`,
    );
  }
  return contact ?? null;
}

function readLink(flat: Flat, name: 'SOURCE_URL' | 'IMPRINT_URL' | 'TERMS_URL'): string | null {
  const value = flat[name];
  if (!value) return null;
  if (/^https?:\/\//.test(value) && URL.canParse(value) && value.length <= 300) return value;
  throw new StartupError(`${name} is "${value}": use a URL such as https://university.edu/chat.`);
}

function readVerification(flat: Flat): Config['emailVerification'] {
  const value = flat.EMAIL_VERIFICATION ?? (flat.SMTP_URL ? 'required' : 'off'); // CONF-11
  if (value !== 'required' && value !== 'off') {
    throw new StartupError(`EMAIL_VERIFICATION is "${value}": use required or off.`);
  }
  return value;
}

function readOidc(flat: Flat): OidcConfig | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = flat;
  const { OIDC_LABEL: label = 'your university account' } = flat;
  if (!issuer) {
    const unusedName = oidcNames.find((name) => flat[name]);
    if (!unusedName) return null;
    throw new StartupError(
      `${unusedName} is set without OIDC_ISSUER: set OIDC_ISSUER too, or remove it.`,
    );
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || url.username || url.password || url.search || url.hash) {
    throw new StartupError(
      'OIDC_ISSUER must look like https://login.university.edu/realms/students: the issuer of your provider, with https.',
    );
  }
  if (!clientId || !clientSecret) {
    throw new StartupError(
      'OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET of a client that your provider knows.',
    );
  }
  if (label.length > 40 || !isPlainLine(label)) {
    throw new StartupError(
      'OIDC_LABEL must be one line of at most 40 characters, such as Riverside Login.',
    );
  }
  return { issuer: url, clientId, clientSecret, label };
}

function readPasswordSignIn(flat: Flat): 'on' | 'off' {
  const value = flat.PASSWORD_SIGN_IN ?? 'on';
  if (value !== 'on' && value !== 'off') {
    throw new StartupError(`PASSWORD_SIGN_IN is "${value}": use on or off.`);
  }
  if (value === 'off' && !flat.OIDC_ISSUER) {
    throw new StartupError(
      'PASSWORD_SIGN_IN is off, but OIDC_ISSUER is not set, so no one could sign in: set it, or use on.',
    );
  }
  return value;
}

function readClassCreation(value: string): 'everyone' | 'operators' {
  if (value === 'everyone' || value === 'operators') return value;
  throw new StartupError(`CLASS_CREATION is "${value}": use everyone or operators.`);
}

function readUnmasking(value: string): 'on' | 'off' {
  if (value === 'on' || value === 'off') return value;
  throw new StartupError(`UNMASKING is "${value}": use on or off.`);
}

function readOperators(flat: Flat): string[] {
  if (!flat.OPERATORS) return [];
  const addresses = flat.OPERATORS.split(',').map((address) => address.trim().toLowerCase());
  const wrong = addresses.find((address) => !isMailable(address));
  if (wrong !== undefined) {
    throw new StartupError(
      `OPERATORS contains "${wrong}": list e-mail addresses that can sign up, separated by commas.`,
    );
  }
  if (readVerification(flat) === 'off') {
    throw new StartupError(
      'OPERATORS needs EMAIL_VERIFICATION=required: without it, anyone can sign up with such an address. Use npm run admin -- grant-operator instead.',
    );
  }
  return [...new Set(addresses)];
}

function readHelpLine({ HELP_LINE: line }: Flat): string | null {
  if (line && (line.length > 200 || !isPlainLine(line))) {
    throw new StartupError(
      'HELP_LINE must be one line of at most 200 characters, such as Counselling: 555 0100, day and night.',
    );
  }
  return line ?? null;
}

function readReportsToHide(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new StartupError(
    `REPORTS_TO_HIDE is "${text}": use the number of reports that hide a message, or 0 for never.`,
  );
}

function readSearch(flat: Flat): Config['search'] {
  const kind = flat.SEARCH ?? 'builtin'; // CONF-12
  if (kind === 'builtin') {
    const unusedName = algoliaNames.find((name) => flat[name]);
    if (!unusedName) return { kind };
    throw new StartupError(
      `${unusedName} is set, but SEARCH is not algolia. Set SEARCH=algolia, or remove it.`,
    );
  }
  if (kind !== 'algolia') throw new StartupError(`SEARCH is "${kind}": use builtin or algolia.`);
  const given = (name: (typeof algoliaNames)[number], shape: RegExp, what: string) => {
    const value = flat[name];
    if (!value) throw new StartupError(`SEARCH is algolia, so ${name} must be set too.`);
    if (!shape.test(value)) throw new StartupError(`${name} is invalid: use ${what}.`);
    return value;
  };
  const key = /^[\w+/=-]{16,512}$/;
  const applicationId = given(
    'ALGOLIA_APP_ID',
    /^[a-z0-9]{6,20}$/i,
    'the id of your application, such as 7X2BF8K3QP',
  );
  const searchKey = given('ALGOLIA_SEARCH_KEY', key, 'a key that can only search');
  const writeKey = given(
    'ALGOLIA_WRITE_KEY',
    key,
    'a key with the rights addObject, deleteObject, deleteIndex, settings and editSettings',
  );
  if (searchKey === writeKey) {
    throw new StartupError(
      'ALGOLIA_SEARCH_KEY and ALGOLIA_WRITE_KEY are equal. Browsers get keys derived from the first, so it must be a key that can only search.',
    );
  }
  return { kind, applicationId, searchKey, writeKey };
}

function readPushHosts(text: string | undefined): readonly PushHost[] {
  if (text === 'none') return [];
  const listed = text?.split(',').map((name) => name.trim()) ?? knownPushHosts;
  return listed.map((name) => {
    const host = parsePushHost(name);
    if (host) return host;
    throw new StartupError(
      `PUSH_HOSTS contains "${name}": list host names such as push.university.edu or *.push.apple.com, or use none.`,
    );
  });
}

function readPushDelay(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 600) return Number(text) * 1000;
  throw new StartupError(`PUSH_DELAY is "${text}": use a number of seconds, at most 600.`);
}

/** Without verified addresses, someone could have mails sent to an address of someone else. */
function readDigest(flat: Flat): DailyTime | null {
  const { DIGEST_TIME: time = '17:00' } = flat; // DIGEST-7
  const startMinute = minuteOf(time);
  if (time !== 'off' && startMinute === null) {
    throw new StartupError(`DIGEST_TIME is "${time}": use a time such as 17:00, or off.`);
  }
  const timeZone = readTimeZone(flat);
  if (startMinute === null || !flat.SMTP_URL || readVerification(flat) === 'off') return null;
  return { startMinute, timeZone };
}

function readTermEnds({ TERM_ENDS: text }: Flat): Term[] {
  return (text?.split(',') ?? []).map((item) => {
    const [, name, date = ''] = /^\s*([a-z]+)\s+(\d{4}-\d\d-\d\d)\s*$/i.exec(item) ?? [];
    const season = semesterSeasons.find((one) => one.toLowerCase() === name?.toLowerCase());
    const time = new Date(date);
    // JavaScript reads February 30 as March 2.
    if (season && !Number.isNaN(time.getTime()) && formatDay(time) === date) {
      return { season, lastDay: dayOf(time) };
    }
    throw new StartupError(
      `TERM_ENDS contains "${item.trim()}": list seasons with their last days, such as Fall 2026-12-20, Spring 2027-05-31. The seasons are ${semesterSeasons.join(', ')}.`,
    );
  });
}

function readReopenDays({ REOPEN_DAYS: text = '7' }: Flat): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= 90) return Number(text);
  throw new StartupError(
    `REOPEN_DAYS is "${text}": use the number of days for which operators can reopen an ended class, at most 90, or 0.`,
  );
}

function readKeepFreeGb({ KEEP_FREE_GB: text = '2' }: Flat): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new StartupError(
    `KEEP_FREE_GB is "${text}": use the gigabytes that uploads leave free on the disk, such as 2, or 0 to let them fill it.`,
  );
}

function readMaxPicturesGb({ MAX_PICTURES_GB: text }: Flat): number | null {
  if (!text) return null;
  if (/^\d{1,7}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new StartupError(
    `MAX_PICTURES_GB is "${text}": use the gigabytes that all pictures and PDFs can need together, such as 50, or remove it for half of the disk.`,
  );
}

function readRetentionDays({ RETENTION_DAYS: text }: Flat): number | null {
  if (!text || text === 'never') return null;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new StartupError(
    `RETENTION_DAYS is "${text}": use the number of days after which messages of ended classes are deleted, such as 365, or never.`,
  );
}

function readUnusedMonths({ UNUSED_ACCOUNT_MONTHS: text, SMTP_URL }: Flat): number | null {
  if (!text || text === 'never') return null;
  if (!/^[1-9]\d{0,2}$/.test(text)) {
    throw new StartupError(
      `UNUSED_ACCOUNT_MONTHS is "${text}": use the number of months after which unused accounts are asked by mail and then deleted, such as 18, or never.`,
    );
  }
  if (SMTP_URL) return Number(text);
  throw new StartupError(
    'UNUSED_ACCOUNT_MONTHS needs SMTP_URL: accounts are asked by mail before they are deleted.',
  );
}

function readBackups(flat: Flat, dataDir: string): BackupConfig | null {
  const { BACKUP_DIR: given, BACKUP_AT: time = '03:30' } = flat; // BACKUP-14
  const startMinute = minuteOf(time);
  if (startMinute === null) {
    throw new StartupError(`BACKUP_AT is "${time}": use a time such as 03:30.`);
  }
  if (!given) {
    if (!flat.BACKUP_AT) return null;
    throw new StartupError(
      'BACKUP_AT is set without BACKUP_DIR: set BACKUP_DIR too, or remove it.',
    );
  }
  const dir = resolve(given);
  if (dir === dataDir || dir.startsWith(`${dataDir}${sep}`)) {
    throw new StartupError(
      `BACKUP_DIR is ${dir}, in the data folder: use a folder of its own, best on another disk.`,
    );
  }
  return { dir, time: { startMinute, timeZone: readTimeZone(flat) } };
}

/** Minutes after midnight; null if it is not a time. */
function minuteOf(time: string): number | null {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

function readTimeZone({ TIME_ZONE: timeZone = ownTimeZone() }: Flat): string {
  if (isTimeZone(timeZone)) return timeZone;
  throw new StartupError(`TIME_ZONE is "${timeZone}": use a name such as America/New_York.`);
}

const ownTimeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

function readTrustedProxies(text: string): number {
  if (/^\d$/.test(text)) return Number(text);
  throw new StartupError(
    `TRUSTED_PROXIES is "${text}": use the number of reverse proxies in front of this server, 0 to 9.`,
  );
}

function readSecretKey(flat: Flat, name: 'SECRET_KEY' | 'NEW_SECRET_KEY'): string | null {
  const secret = flat[name];
  if (secret && secret.length < 32) {
    throw new StartupError(
      `${name} is too short: use at least 32 characters, for example from \`openssl rand -base64 32\`.`,
    );
  }
  return secret ?? null;
}

/** It must fit into a header and must not open anything else. The errors do not repeat it. */
function readMetricsToken(flat: Flat): string | null {
  const { METRICS_TOKEN: token } = flat;
  if (!token) return null;
  if (!/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new StartupError(
      'METRICS_TOKEN is not usable: use at least 16 letters, digits or signs without spaces, for example from `openssl rand -base64 32`.',
    );
  }
  if (token === flat.SECRET_KEY || token === flat.NEW_SECRET_KEY) {
    throw new StartupError(
      'METRICS_TOKEN equals the server key, which monitors must not know: use another value.',
    );
  }
  return token;
}

/** As in TERM_ENDS, such as 'Fall 2026-12-20'. */
export function formatTerm({ season, lastDay }: Term): string {
  return `${season} ${formatDay(dateOf(lastDay))}`;
}
