// Every setting, declared once. The checks of one setting are here, and those between settings in config.ts. The tables of
// docs/configuration.md, .env.example and /admin/settings come from this list, in its order.
import { resolve } from 'node:path';
import { isTimeZone } from '#contract/time-zones.ts';
import { semesterSeasons } from '#contract/class-fields.ts';
import { isMailable } from '#contract/email-address.ts';
import { isPlainLine } from '#contract/text.ts';
import { listLanguages } from '#server/base/catalogues.ts';
import { readWrittenKey } from '#server/base/key-copy.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import type { Config } from './config-types.ts';
import { parsePushHost } from './push-hosts.ts';
import {
  isHostName,
  isLoopback,
  parseAs,
  parseChoice,
  parseHidden,
  parseLine,
  parseList,
  parseNumber,
  parseNumberOrNever,
  toMinute,
  toUrl,
  type ParseSetting,
} from './parse-setting.ts';
import { formatChosenRates, parseChosenRate, rateNames } from './rate-settings.ts';
import { formatTerm, parseTerm } from './term.ts';

export interface Setting {
  /** The heading in docs/configuration.md. */
  section: string;
  /** Parsed if the operator sets nothing. */
  default?: string;
  /** Says, in Markdown, what applies if the operator sets nothing and there is no `default`. */
  defaultNote?: string;
  parse: ParseSetting<unknown>;
  /** A secret can be in a file that the same name with _FILE names. */
  isSecret?: true;
  /** What operators see of it. Without this function, they see only whether it is set. */
  show?: (config: Config) => string;
  /** The meaning in Markdown. */
  meaning: string;
}

const parseText: ParseSetting<string> = (text) => text;

const parseLink = parseAs(
  (text) => (toUrl(text, /^https?:$/) && text.length <= 300 ? text : undefined),
  'a URL such as https://university.edu/chat',
);

const parseS3Endpoint = parseHidden((text) => {
  const url = toUrl(text, /^https?:$/);
  return url && !url.username && !url.search && !url.hash ? url.href.replace(/\/$/, '') : undefined;
}, 'must look like https://s3.university.edu, without keys and without the bucket.');

const parseS3Region = parseAs(
  (text) => (/^[a-z0-9-]{1,40}$/.test(text) ? text : undefined),
  'a name such as eu-central-1',
);

const parseServerKey = parseHidden(
  (text) => (text.length >= 32 ? readWrittenKey(text) : undefined),
  'is too short: use at least 32 characters, for example from `openssl rand -base64 32`.',
);

const parseAlgolia = (shape: RegExp, advice: string) =>
  parseHidden((text) => (shape.test(text) ? text : undefined), `is invalid: use ${advice}.`);

const algoliaKey = /^[\w+/=-]{16,512}$/;

function toFactor(text: string): number | undefined {
  const factor = Number(text);
  return /^\d{1,4}(\.\d{1,2})?$/.test(text) && factor >= 0.5 && factor <= 1000 ? factor : undefined;
}

function toPublicUrl(text: string): URL | undefined {
  const url = toUrl(text, /^https?:$/);
  if (!url || url.pathname !== '/' || url.search || url.hash) return undefined;
  if (url.username || url.password) {
    throw new StartupError('PUBLIC_URL contains a user name or password: remove them.');
  }
  return url;
}

function toDatabaseUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new StartupError(
      'DATABASE_URL must begin with postgres://. For SQLite, remove it: the file is in DATA_DIR.',
    );
  }
  return URL.canParse(text) ? text : undefined;
}

/** @returns the names of one mail domain, the first of which identifies its mailboxes */
function toDomainNames(text: string): string[] | null {
  const names = text
    .toLowerCase()
    .split('=')
    .map((name) => name.trim());
  const areDomains = names.every((name) => isHostName(name) && /\.[a-z][a-z0-9-]*$/.test(name));
  return areDomains ? names : null;
}

function formatEmailDomains({ emailDomains, domainAliases }: Config): string {
  return emailDomains
    .filter((domain) => !domainAliases.has(domain))
    .map((domain) =>
      [domain, ...emailDomains.filter((alias) => domainAliases.get(alias) === domain)].join('='),
    )
    .join(', ');
}

function toSender(text: string): string | undefined {
  const address = /^[^\r\n<>@]+ <(.+)>$/.exec(text)?.[1] ?? text;
  return isMailable(address) ? text : undefined;
}

function toContact(text: string): string | undefined {
  const isPage = /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
  const isContact = isMailable(text) || isPage;
  return isContact && text.length <= 200 && isPlainLine(text) ? text : undefined;
}

function toIssuer(text: string): URL | undefined {
  const url = toUrl(text, /^https?:$/);
  if (!url || url.username || url.password || url.search || url.hash) return undefined;
  return url.protocol === 'https:' || isLoopback(url.hostname) ? url : undefined;
}

/** User names, passwords and parameters can be secret. */
function removeSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

const formatOptional = (value: string | null) => value ?? 'not set';
const formatOrNever = (value: number | null) => (value === null ? 'never' : String(value));
const getS3 = ({ images }: Config) => (images.kind === 's3' ? images : null);

function formatMinute(minute: number): string {
  const hours = String(Math.floor(minute / 60)).padStart(2, '0');
  return `${hours}:${String(minute % 60).padStart(2, '0')}`;
}

export const settings = {
  PUBLIC_URL: {
    section: 'Ten settings first',
    defaultNote: '`http://localhost:PORT`', // CONF-2
    parse: parseAs(toPublicUrl, 'an origin such as https://chat.university.edu, with no path'),
    show: ({ publicUrl }) => publicUrl.origin,
    meaning: 'the origin that people use; links, cookies and origin checks follow it',
  },
  TRUSTED_PROXIES: {
    section: 'Ten settings first',
    default: '0', // CONF-13
    parse: parseNumber(/^\d$/, 9, 'the number of reverse proxies in front of this server, 0 to 9'),
    show: ({ trustedProxies }) => String(trustedProxies),
    meaning:
      'how many proxies of your own are in front of the server: it trusts as many hops of `X-Forwarded-For`',
  },
  EMAIL_DOMAIN: {
    section: 'Ten settings first',
    default: 'university.edu', // CONF-1, CONF-37
    parse: parseList(
      toDomainNames,
      ', which is not a domain name: use for example university.edu or university.edu,students.university.edu, without an @.',
    ),
    show: formatEmailDomains,
    meaning:
      'the domains whose addresses may sign up, separated by commas. `=` joins the names of one mail domain: with `uni.edu=university.edu`, `ada@` is one account on both',
  },
  SMTP_URL: {
    section: 'Ten settings first',
    isSecret: true,
    defaultNote: 'files in `DATA_DIR/mail` for 24 hours',
    parse: parseHidden(
      (text) => (/^smtps?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
      'must look like smtp://user:password@mail.university.edu:587.',
    ),
    show: ({ mail }) => (mail.kind === 'smtp' ? removeSecrets(mail.url) : 'files in DATA_DIR'),
    meaning: 'the mail server: `smtp://user:password@host:587`',
  },
  MAIL_FROM: {
    section: 'Ten settings first',
    defaultNote: '`no-reply@` and the host',
    parse: parseAs(toSender, 'an address such as chat@university.edu'),
    show: ({ mail }) => mail.from,
    meaning: 'the sender of mails',
  },
  SUPPORT_CONTACT: {
    section: 'Ten settings first',
    parse: parseAs(toContact, 'an address such as help@university.edu, or a URL'),
    show: ({ supportContact }) => formatOptional(supportContact),
    meaning: 'an address or a URL for questions, which mails and the app show',
  },
  UNMASKING: {
    section: 'Ten settings first',
    default: 'off', // UNMASK-1
    parse: parseChoice('on', 'off'),
    show: ({ unmasking }) => unmasking,
    meaning: '`on`: two operators together can [unmask a person](moderation.md#unmask-a-person)',
  },
  DATA_DIR: {
    section: 'Ten settings first',
    default: './data', // CONF-1
    parse: (text: string) => resolve(text),
    show: ({ dataDir }) => dataDir,
    meaning:
      'the folder of the database, pictures, PDFs, mail files and [short forms](search.md#add-your-schools-short-forms)',
  },
  BACKUP_DIR: {
    section: 'Ten settings first',
    parse: (text: string) => resolve(text),
    show: ({ backups }) => formatOptional(backups?.dir ?? null),
    meaning:
      'the folder of the [daily backups](backup.md#every-day), outside the data folder; nodes share it. Without it there are none',
  },
  TIME_ZONE: {
    section: 'Ten settings first',
    defaultNote: 'that of the machine',
    parse: parseAs(
      (text) => (isTimeZone(text) ? text : undefined),
      'a name such as America/New_York',
    ),
    show: ({ termEnds }) => termEnds.timeZone,
    meaning:
      'the time zone of the daily backup, `DIGEST_TIME`, `TERM_ENDS` and the quiet times of classes, such as `America/New_York`',
  },

  PORT: {
    section: 'Web',
    default: '3000', // CONF-1
    parse: parseAs((text) => {
      const port = Number(text);
      return /^\d+$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
    }, 'a number from 1 to 65535'),
    show: ({ listen }) => String(listen.port),
    meaning: 'the port on which the server listens',
  },
  HOST: {
    section: 'Web',
    default: '127.0.0.1', // CONF-1
    parse: parseText,
    show: ({ listen }) => listen.host,
    meaning: 'the address on which the server listens',
  },
  ALLOWED_HOSTS: {
    section: 'Web',
    default: '',
    parse: parseList(
      (text) => (text === '' || isHostName(text) ? text.toLowerCase() : null),
      ': list bare host names, separated by commas, without scheme or port.',
    ),
    show: ({ allowedHosts }) => allowedHosts.join(', ') || 'only that of PUBLIC_URL',
    meaning: "further host names, separated by commas; the first label selects the school's theme",
  },
  APP_NAME: {
    section: 'Web',
    default: 'Backchannel', // CONF-1
    parse: parseLine(40),
    show: ({ appName }) => appName,
    meaning: 'the name of the app',
  },
  LANGUAGES: {
    section: 'Web',
    defaultNote: 'all, English first', // CONF-48
    parse: parseList(
      (text) => listLanguages().find((tag) => tag === text) ?? null,
      `: use languages such as en,de. There are ${listLanguages().join(', ')}.`,
    ),
    show: ({ languages }) => languages.join(', '),
    meaning:
      'the languages of the app, separated by commas; the first one is for people whose browser asks for none of them. A language that lacks more than a twentieth of the texts is left out',
  },
  SOURCE_URL: {
    section: 'Web',
    parse: parseLink, // CONF-44
    show: ({ links }) => formatOptional(links.source),
    meaning: 'where visitors find the source; set it if you changed the program (AGPL, section 13)',
  },
  IMPRINT_URL: {
    section: 'Web',
    parse: parseLink, // CONF-44
    show: ({ links }) => formatOptional(links.imprint),
    meaning: 'your legal notice, which the app links to',
  },
  TERMS_URL: {
    section: 'Web',
    parse: parseLink, // CONF-44
    show: ({ links }) => formatOptional(links.terms),
    meaning: 'your terms of use, which the app links to',
  },
  METRICS_TOKEN: {
    section: 'Web',
    isSecret: true,
    // It must fit into a header. METRIC-3
    parse: parseHidden(
      (text) => (/^[\x21-\x7e]{16,}$/.test(text) ? text : undefined),
      'is not usable: use at least 16 letters, digits or signs without spaces, for example from `openssl rand -base64 32`.',
    ),
    meaning:
      'lets monitors on other machines read [`/metrics`](operate.md#metrics): at least 16 characters',
  },

  EMAIL_VERIFICATION: {
    section: 'Accounts and mail',
    defaultNote: '`required` with SMTP, else `off`', // CONF-11
    parse: parseChoice('required', 'off'),
    show: ({ emailVerification }) => emailVerification,
    meaning:
      '`required`: an account works after its owner followed a mailed link and entered the password',
  },
  OPERATORS: {
    section: 'Accounts and mail',
    parse: parseList((text) => {
      const address = text.toLowerCase();
      return isMailable(address) ? address : null;
    }, ': list email addresses that can sign up, separated by commas.'), // MOD-2
    // No address of an account leaves the server.
    show: ({ operators }) => (operators.length === 0 ? 'not set' : `${operators.length} addresses`),
    meaning:
      'addresses of accounts that moderate all classes, separated by commas; requires `EMAIL_VERIFICATION=required`',
  },
  HELP_LINE: {
    section: 'Accounts and mail',
    parse: parseLine(200, 'Counselling: 555 0100, day and night'), // MOD-8
    show: ({ helpLine }) => formatOptional(helpLine),
    meaning: 'what a member sees after reporting a threat, such as `Counselling: 555 0100`',
  },
  REPORTS_TO_HIDE: {
    section: 'Accounts and mail',
    default: '3', // MOD-11
    parse: parseNumber(
      /^\d{1,3}$/,
      999,
      'the number of reports that hide a message, or 0 for never',
    ),
    show: ({ reportsToHide }) => String(reportsToHide),
    meaning: 'how many reports hide a message until a moderator decides; `0`: never',
  },
  CLASS_CREATION: {
    section: 'Accounts and mail',
    default: 'everyone', // CREATE-20
    parse: parseChoice('everyone', 'operators'),
    show: ({ classCreation }) => classCreation,
    meaning: '`operators`: only operators create or [import](classes.md#start-a-term) classes',
  },
  ORGANIZATION: {
    section: 'Accounts and mail',
    parse: parseLine(100, 'Riverside University'),
    show: ({ organization }) => formatOptional(organization),
    meaning: 'who runs this server, such as `Riverside University`; its mails say so',
  },

  SECOND_FACTOR: {
    section: 'Accounts and mail',
    default: 'offered', // FACTOR-2
    parse: parseChoice('off', 'offered', 'required'),
    show: ({ secondFactor }) => secondFactor,
    meaning:
      '[passkeys](security.md#passkeys) of operators and moderators. `required`: without one, they cannot unmask, change roles, end classes or act on accounts. With `OIDC_ISSUER`, it is `off`',
  },

  OIDC_ISSUER: {
    section: 'Sign-on',
    parse: parseHidden(
      toIssuer,
      'must look like https://login.university.edu/realms/students: the issuer of your provider, with https.',
    ), // OIDC-1
    show: ({ oidc }) => oidc?.issuer.href ?? 'not set',
    meaning: 'the issuer of your provider, such as `https://login.university.edu/realms/students`',
  },
  OIDC_CLIENT_ID: {
    section: 'Sign-on',
    parse: parseText,
    show: ({ oidc }) => oidc?.clientId ?? 'not used',
    meaning: 'the id of the client that you created at the provider',
  },
  OIDC_CLIENT_SECRET: {
    section: 'Sign-on',
    isSecret: true,
    parse: parseText,
    meaning: 'the secret of this client',
  },
  OIDC_LABEL: {
    section: 'Sign-on',
    default: 'your university account',
    parse: parseLine(40, 'Riverside Login'),
    show: ({ oidc }) => oidc?.label ?? 'not used',
    meaning: "the text after 'Sign in with' on the button, at most 40 characters",
  },
  PASSWORD_SIGN_IN: {
    section: 'Sign-on',
    default: 'on', // OIDC-10
    parse: parseChoice('on', 'off'),
    show: ({ passwordSignIn }) => passwordSignIn,
    meaning: '`off`: people sign in only through the provider',
  },

  KEY_DIR: {
    section: 'Storage',
    defaultNote: '`DATA_DIR`',
    parse: (text: string) => resolve(text),
    show: ({ keyDir }) => keyDir,
    meaning:
      'the folder of the server key, if it is not in `SECRET_KEY`: [apart from the data](install.md#keep-the-key-apart-from-the-data) and from backups',
  },
  DATABASE_URL: {
    section: 'Storage',
    isSecret: true,
    defaultNote: 'an SQLite file in `DATA_DIR`', // CONF-7
    parse: parseHidden(toDatabaseUrl, 'is not a complete URL.'),
    show: ({ database }) =>
      database.kind === 'postgres' ? removeSecrets(database.url) : 'SQLite in DATA_DIR',
    meaning: '`postgres://user:password@host/name`; requires `SECRET_KEY`',
  },
  SECRET_KEY: {
    section: 'Storage',
    isSecret: true,
    defaultNote: 'generated in `KEY_DIR`',
    parse: parseServerKey,
    show: ({ sources }) => (sources.has('SECRET_KEY') ? 'set' : 'generated in KEY_DIR'),
    meaning:
      'the server key: at least 32 characters, for example from `openssl rand -base64 32` ([a lost or leaked key](backup.md#a-lost-or-leaked-key))',
  },
  NEW_SECRET_KEY: {
    section: 'Storage',
    isSecret: true,
    parse: parseServerKey,
    meaning: 'the key that replaces `SECRET_KEY`, for `backchannel new-key` only',
  },
  REDIS_URL: {
    section: 'Storage',
    defaultNote: 'one server', // CONF-8
    parse: parseHidden(
      (text) => (toUrl(text, /^rediss?:$/)?.hostname ? text : undefined),
      'must look like redis://user:password@host:6379, or rediss:// for TLS.',
    ),
    show: ({ redisUrl }) => (redisUrl === null ? 'one server' : removeSecrets(redisUrl)),
    meaning:
      '`redis://user:password@host:6379`, or `rediss://` for TLS: connects [several nodes](scaling.md#several-nodes); requires `DATABASE_URL`',
  },
  S3_BUCKET: {
    section: 'Storage',
    defaultNote: 'files in `DATA_DIR`', // CONF-9
    parse: (text: string) => {
      if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return text;
      throw new StartupError(`S3_BUCKET is "${text}", which is not a bucket name.`);
    },
    show: (config) => getS3(config)?.bucket ?? 'pictures are in DATA_DIR',
    meaning:
      'stores pictures and PDFs in S3; requires `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`',
  },
  S3_ACCESS_KEY_ID: {
    section: 'Storage',
    parse: parseText,
    meaning: 'a key that may list the bucket and get, put and delete objects',
  },
  S3_SECRET_ACCESS_KEY: {
    section: 'Storage',
    isSecret: true,
    parse: parseText,
    meaning: 'the secret of this key',
  },
  S3_ENDPOINT: {
    section: 'Storage',
    defaultNote: 'Amazon',
    parse: parseS3Endpoint,
    show: (config) => (getS3(config) ? removeSecrets(getS3(config)?.endpoint ?? '') : 'not used'),
    meaning: 'another S3 service with path-style addresses, such as `https://s3.university.edu`',
  },
  S3_REGION: {
    section: 'Storage',
    default: 'us-east-1',
    parse: parseS3Region,
    show: (config) => getS3(config)?.region ?? 'not used',
    meaning: 'the region of the bucket',
  },

  ALGOLIA_APP_ID: {
    section: 'Search',
    parse: parseAlgolia(/^[a-z0-9]{6,20}$/i, 'the id of your application, such as 7X2BF8K3QP'),
    show: ({ search }) => (search.kind === 'algolia' ? search.applicationId : 'not used'),
    meaning:
      'the id of your application: browsers then search classes in Algolia ([Search](search.md#algolia))',
  },
  ALGOLIA_SEARCH_KEY: {
    section: 'Search',
    parse: parseAlgolia(algoliaKey, 'a key that can only search'),
    meaning: 'a key that may only search',
  },
  ALGOLIA_WRITE_KEY: {
    section: 'Search',
    isSecret: true,
    parse: parseAlgolia(
      algoliaKey,
      'a key with the rights addObject, deleteObject, deleteIndex, settings and editSettings',
    ),
    meaning:
      'a key with the rights addObject, deleteObject, deleteIndex, settings and editSettings',
  },

  PUSH_HOSTS: {
    section: 'Notifications and daily email',
    defaultNote: 'the push services of Chrome, Firefox, Safari and Edge', // PUSH-4
    parse: (text: string, name: string) =>
      text === 'none'
        ? []
        : parseList(
            parsePushHost,
            ': list host names such as push.university.edu or *.push.apple.com, or use none.',
          )(text, name),
    show: ({ push }) =>
      push.hosts.map(({ host, isWildcard }) => (isWildcard ? `*.${host}` : host)).join(', ') ||
      'none',
    meaning:
      'the hosts to which the server sends notifications, separated by commas; `*.` stands for all hosts of a domain; `none`: no notifications',
  },
  PUSH_DELAY: {
    section: 'Notifications and daily email',
    default: '10', // PUSH-20
    parse: parseNumber(/^\d{1,3}$/, 600, 'a number of seconds, at most 600'),
    show: ({ push }) => String(push.maxDelayMs / 1000),
    meaning:
      'seconds: each notification waits for a random time up to this one, so that its time does not tell which message it is about',
  },

  DIGEST_TIME: {
    section: 'Notifications and daily email',
    default: '17:00', // DIGEST-7
    parse: parseAs(
      (text) => (text === 'off' ? null : toMinute(text)),
      'a time such as 17:00, or off',
    ),
    show: ({ digest }) => (digest ? formatMinute(digest.startMinute) : 'off'),
    meaning: 'the server sends the emails in the two hours after this time; `off`: never',
  },

  BACKUP_S3_ACCESS_KEY_ID: {
    section: 'Backups',
    parse: parseText, // BACKUP-20
    meaning: 'a key for the command that [backs up to S3](backup.md#other-ways)',
  },
  BACKUP_S3_SECRET_ACCESS_KEY: {
    section: 'Backups',
    isSecret: true,
    parse: parseText,
    meaning: 'the secret of this key',
  },
  BACKUP_S3_ENDPOINT: {
    section: 'Backups',
    defaultNote: 'Amazon',
    parse: parseS3Endpoint,
    show: ({ backupS3 }) => (backupS3 ? removeSecrets(backupS3.endpoint) : 'not used'),
    meaning: 'another S3 service for backups',
  },
  BACKUP_S3_REGION: {
    section: 'Backups',
    default: 'us-east-1',
    parse: parseS3Region,
    show: ({ backupS3 }) => backupS3?.region ?? 'not used',
    meaning: 'the region of the bucket for backups',
  },

  TERM_ENDS: {
    section: 'Retention',
    parse: parseList(
      parseTerm,
      `: list seasons with their last days, such as Fall 2026-12-20, Spring 2027-05-31. The seasons are ${semesterSeasons.join(', ')}.`,
    ), // TERM-1
    show: ({ termEnds }) => termEnds.terms.map(formatTerm).join(', ') || 'not set',
    meaning:
      'the last days of terms, such as `Fall 2026-12-20, Spring 2027-05-31`: on the next day, all classes of the season [end](classes.md#end-a-term)',
  },
  REOPEN_DAYS: {
    section: 'Retention',
    default: '7', // ADMIN-40
    parse: parseNumber(
      /^\d{1,2}$/,
      90,
      'the number of days for which operators can reopen an ended class, at most 90, or 0',
    ),
    show: ({ reopenDays }) => String(reopenDays),
    meaning:
      'for how many days operators can [reopen](classes.md#end-a-term) an ended class, at most 90. Then the server removes the links from its personas to accounts; with `0`, immediately',
  },
  KEEP_FREE_GB: {
    section: 'Retention',
    default: '2', // PIC-82
    parse: parseNumber(
      /^\d{1,7}$/,
      Infinity,
      'the gigabytes that uploads leave free on the disk, such as 2, or 0 to let them fill it',
    ),
    show: ({ keepFreeGb }) => String(keepFreeGb),
    meaning:
      'gigabytes: if less is free, or less than 5 % of the disk, the server rejects pictures and PDFs, but not texts; with `0`, uploads can fill the disk',
  },
  MAX_PICTURES_GB: {
    section: 'Retention',
    defaultNote: 'half of the disk', // PIC-85
    parse: parseNumber(
      /^\d{1,7}(\.\d{1,6})?$/,
      Infinity,
      'the gigabytes that all pictures and PDFs can need together, such as 50, or remove it for half of the disk',
    ),
    show: ({ maxPicturesGb, images }) =>
      String(maxPicturesGb ?? (images.kind === 'disk' ? 'half of the disk' : 'no limit')),
    meaning:
      'gigabytes that all pictures and PDFs can need together before the server rejects more. With S3, the default is no limit',
  },
  RETENTION_DAYS: {
    section: 'Retention',
    default: 'never', // RETAIN-1
    parse: parseNumberOrNever(
      /^[1-9]\d{0,4}$/,
      'the number of days after which messages of ended classes are deleted, such as 365, or never',
    ),
    show: ({ retentionDays }) => formatOrNever(retentionDays),
    meaning:
      'days after which the messages and pictures of an [ended](classes.md#end-a-term) class are deleted, such as `365`, but not while it can be reopened. [Backups](backup.md) keep them longer',
  },
  UNUSED_ACCOUNT_MONTHS: {
    section: 'Retention',
    default: 'never', // RETAIN-4
    parse: parseNumberOrNever(
      /^[1-9]\d{0,2}$/,
      'the number of months after which unused accounts are asked by mail and then deleted, such as 18, or never',
    ),
    show: ({ unusedAccountMonths }) => formatOrNever(unusedAccountMonths),
    meaning:
      'months after which unused accounts are deleted, such as `18`; their messages stay. The server mails their owners 30 and 7 days before. Requires `SMTP_URL`',
  },

  LIMIT_FACTOR: {
    section: 'Rate limits',
    default: '1', // CONF-15
    parse: parseAs(
      (text) => (text === 'off' ? null : toFactor(text)),
      'a number from 0.5 to 1000, or off for load tests',
    ),
    show: ({ limits }) => String(limits.factor ?? 'off'),
    meaning:
      'multiplies the limits, except those that protect a person from others: 0.5 to 1000, for example `3` if a large campus has one address. `off` turns all limits off, for load tests',
  },
  LIMITS: {
    section: 'Rate limits',
    parse: parseList(
      parseChosenRate,
      `: use for example signUps=50/10m, newClasses=off (at most 31 days). The limits are ${rateNames.join(', ')}.`,
    ),
    show: ({ limits }) => formatChosenRates(limits.chosen) || 'not set',
    meaning:
      'single limits, which the factor does not change, such as `signUps=50/10m, newClasses=5/1d`; `newClasses=off` turns one off',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

export const settingNames = Object.keys(settings) as SettingName[];

/** Each of them can be in a separate file. */
export const secretSettings = settingNames.filter((name) => 'isSecret' in settings[name]);

/** What each setting says. Without a default, it is null if the operator sets nothing. */
export type SettingValues = {
  [Name in SettingName]:
    | ReturnType<(typeof settings)[Name]['parse']>
    | ((typeof settings)[Name] extends { default: string } ? never : null);
};

/** @throws {StartupError} for the first wrong one */
export function parseSettings(texts: Partial<Record<SettingName, string>>): SettingValues {
  const entries = settingNames.map((name) => {
    const setting: Setting = settings[name];
    const text = texts[name] ?? setting.default;
    return [name, text === undefined ? null : setting.parse(text, name)];
  });
  return Object.fromEntries(entries) as SettingValues;
}
