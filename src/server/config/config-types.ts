// What the settings say, as one nested and checked value.
import type { DailyTime } from '#server/base/daily-clock.ts';
import type { Rates } from '#server/base/rates.ts';
import type { S3Access } from '#server/base/s3-client.ts';
import type { PushHost } from './push-hosts.ts';
import type { ChosenRates } from './rate-settings.ts';
import type { Term } from './term.ts';

/** `ignored`: addresses that differ only in this part belong to one account. */
export interface Config {
  appName: string;
  /** The first one is the default. */
  languages: readonly string[];
  /** One domain or more, in the operator's order. */
  emailDomains: readonly string[];
  /** Maps the other names of a mail domain to its first one: `ada@` is the same mailbox on all of them. */
  domainAliases: ReadonlyMap<string, string>;
  listen: { host: string; port: number };
  /** The origin that links and cookies use. */
  publicUrl: URL;
  /** Host names (without ports) that requests may use in addition to the host of `publicUrl`. */
  allowedHosts: readonly string[];
  dataDir: string;
  /** The folder of the server key. */
  keyDir: string;
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
  /** Passkeys of operators and moderators. */
  secondFactor: 'off' | 'offered' | 'required';
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
  /** How many days an ended class can be reopened; 0 removes its links to accounts immediately. */
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
  /** The access to backups in S3; null without keys. */
  backupS3: Omit<S3Access, 'bucket'> | null;
  /** Set by the operator. If null, the server generates the key in `keyDir`. */
  secretKey: string | null;
  /** The file that the operator set `secretKey` in. */
  secretKeyFile: string | null;
  /** The next key for `npm run admin -- new-key`, if the operator keeps the key in SECRET_KEY. */
  newSecretKey: string | null;
  /** Lets monitors on other machines read the metrics; null if only this machine may. */
  metricsToken: string | null;
  /** The number of trusted X-Forwarded-For hops. */
  trustedProxies: number;
  /** What `rates` is computed from. The factor is null if the limits are off. */
  limits: { factor: number | null; chosen: ChosenRates };
  rates: Rates;
  /** What the operator should change in settings of an earlier version. */
  warnings: readonly string[];
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
