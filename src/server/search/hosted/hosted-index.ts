// Wraps Algolia's client with the write key, which only the server holds.
import { algoliasearch } from 'algoliasearch';
import type { Class } from '#contract/entities.ts';
import { classRecordSchema, type ClassRecord } from '#contract/class-record.ts';
import { searchIndexName as indexName } from '#contract/search-index.ts';
import type { HostedSearch } from '../../config.ts';
import { indexSettings } from './index-settings.ts';
import { securedKey } from './secured-key.ts';

/** One index change: the current class, or the id of a class to remove. */
export type RecordChange = { put: Class } | { remove: string };

export interface HostedIndex {
  writeSettings(): Promise<void>;
  /** Resolves when Algolia has applied the changes. */
  write(changes: readonly RecordChange[]): Promise<void>;
  /** Replaces the whole index atomically. */
  replaceAll(classes: readonly Class[]): Promise<void>;
  /** A search key for the browser of a signed-in member. It expires after a day. */
  createBrowserKey(): string;
}

/** In milliseconds, for each host. */
const timeouts = { connect: 2000, read: 5000, write: 5000 };
const browserKeySeconds = 24 * 60 * 60; // SEARCH-59

export function createHostedIndex(hosted: HostedSearch): HostedIndex {
  const client = algoliasearch(hosted.applicationId, hosted.writeKey, { timeouts });
  return {
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
        objects: classes.map((one) => ({ ...toRecord(one) })),
      });
    },
    createBrowserKey() {
      const validUntil = Math.floor(Date.now() / 1000) + browserKeySeconds;
      return securedKey(hosted.searchKey, { restrictIndices: indexName, validUntil });
    },
  };
}

/** Sends only allow-listed fields. */
function toRecord(one: Class): ClassRecord {
  const { classId, ended: _, ...fields } = one;
  return classRecordSchema.parse({ objectID: classId, ...fields });
}
