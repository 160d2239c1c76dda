// Wraps Algolia's client with the write key, which only the server holds.
import { createHash, createHmac } from 'node:crypto';
import { algoliasearch, type IndexSettings } from 'algoliasearch';
import type { Class } from '#contract/entities.ts';
import { classRecordSchema, type ClassRecord } from '#contract/class-search.ts';
import { searchFacets, searchIndexName as indexName } from '#contract/class-fields.ts';
import type { HostedSearch } from '#server/config/config-types.ts';

/** One index change: the current class, or the id of a class to remove. */
export type RecordChange = { put: Class } | { remove: string };

export interface HostedIndex {
  readonly applicationId: string;
  /** Changes with the application and with the settings that this version writes. */
  readonly settingsVersion: string;
  /** The origins that Algolia's client queries from a browser. */
  readonly browserHosts: readonly string[];
  writeSettings(): Promise<void>;
  /** Resolves when Algolia has applied the changes. */
  write(changes: readonly RecordChange[]): Promise<void>;
  /** Replaces the whole index atomically. */
  replaceAll(classes: readonly Class[]): Promise<void>;
  /** A search key for the browser of a signed-in member. It expires after a day. */
  createBrowserKey(): string;
}

/** Timeouts in milliseconds, for each host. */
const timeouts = { connect: 2000, read: 5000, write: 5000 };
const browserKeySeconds = 24 * 60 * 60; // SEARCH-59

/** Ranking of the hosted index: codes before names, exact matches before typos, then the largest classes. */
const indexSettings: IndexSettings = {
  searchableAttributes: [
    'unordered(subjectAbbreviation),unordered(courseNumber)',
    'unordered(courseName),unordered(name)',
    'unordered(sectionNumber)',
    'unordered(classSchedule),unordered(semesterSeason)',
  ],
  attributesForFaceting: [...searchFacets],
  customRanking: ['desc(memberCount)'],
  attributesToHighlight: [
    'courseName',
    'name',
    'subjectAbbreviation',
    'courseNumber',
    'sectionNumber',
  ],
  // 147 is not a typo of 146.
  allowTyposOnNumericTokens: false,
  disableTypoToleranceOnAttributes: ['courseNumber', 'sectionNumber'],
  hitsPerPage: 10,
};

export function createHostedIndex(hosted: HostedSearch): HostedIndex {
  const { applicationId, searchKey, writeKey } = hosted;
  const client = algoliasearch(applicationId, writeKey, { timeouts });
  return {
    applicationId,
    settingsVersion: computeSettingsVersion(applicationId),
    browserHosts: listBrowserHosts(applicationId),
    async writeSettings() {
      const { taskID } = await client.setSettings({ indexName, indexSettings });
      await client.waitForTask({ indexName, taskID });
    },
    async write(changes) {
      const requests = changes.map((change) =>
        'put' in change
          ? { action: 'updateObject' as const, body: { ...toRecord(change.put) } }
          : { action: 'deleteObject' as const, body: { objectID: change.remove } },
      );
      await client.batch({ indexName, batchWriteParams: { requests } });
    },
    async replaceAll(classes) {
      await client.replaceAllObjects({
        indexName,
        objects: classes.map((indexedClass) => ({ ...toRecord(indexedClass) })),
      });
    },
    createBrowserKey() {
      const validUntil = Math.floor(Date.now() / 1000) + browserKeySeconds;
      return createSecuredKey(searchKey, { restrictIndices: indexName, validUntil });
    },
  };
}

/** Sends only allow-listed fields. */
function toRecord(indexedClass: Class): ClassRecord {
  const { classId, ended: _, ...fields } = indexedClass;
  return classRecordSchema.parse({ objectID: classId, ...fields });
}

function computeSettingsVersion(applicationId: string): string {
  const hash = createHash('sha256').update(JSON.stringify(indexSettings)).digest('base64url');
  return `${applicationId} ${hash}`;
}

/** The content security policy allows only these hosts. */
export function listBrowserHosts(applicationId: string): string[] {
  const id = applicationId.toLowerCase();
  const fallbacks = [1, 2, 3].map((n) => `https://${id}-${n}.algolianet.com`);
  return [`https://${id}-dsn.algolia.net`, ...fallbacks];
}

/**
 * Creates a restricted key from a parent key, as Algolia documents. The restrictions are readable, but only
 * the holder of the parent key can create it. Algolia's own function is missing from its browser types.
 */
export function createSecuredKey(
  parentKey: string,
  restrictions: Readonly<Record<string, string | number>>,
): string {
  const sortedEntries = Object.entries(restrictions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = sortedEntries
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const signature = createHmac('sha256', parentKey).update(text).digest('hex');
  return Buffer.from(signature + text).toString('base64');
}
