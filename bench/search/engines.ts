// Our search engine and two alternatives with their default settings. Each is built from the class rows.
import SQLite from 'better-sqlite3';
import MiniSearch from 'minisearch';
import type { Class } from '../../src/contract/entities.ts';
import { createClassIndex } from '#server/features/class-search/class-index.ts';
import { readQuery } from '#server/features/class-search/query.ts';
import { answerHits } from '#server/features/class-search/query-call.ts';
import { readShortForms } from '#server/features/class-search/rewrite/short-forms.ts';

export interface Engine {
  /** The id of the first hit. The engine computes ten. */
  search(text: string): string | undefined;
}

export const engineNames = ['backchannel', 'sqlite-fts5', 'minisearch'] as const;
export type EngineName = (typeof engineNames)[number];

export const engines: Record<EngineName, (classes: readonly Class[]) => Engine> = {
  /**
   * Everything a search call does except HTTP: it parses the query, highlights the matches and writes the
   * reply.
   */
  backchannel(classes) {
    const index = createClassIndex(readShortForms(null));
    for (const one of classes) index.put(one);
    return {
      search(query) {
        const result = answerHits(index, readQuery('classSearch', { query }));
        JSON.stringify(result);
        return result.hits[0]?.objectID;
      },
    };
  },

  /** Matches words and their prefixes. It does not tolerate typing errors. */
  'sqlite-fts5'(classes) {
    const file = new SQLite('');
    file.exec(
      `create virtual table found using fts5(id unindexed, name, subject, number, section, season, days)`,
    );
    const insert = file.prepare('insert into found values (?, ?, ?, ?, ?, ?, ?)');
    file.transaction(() => {
      for (const one of classes) {
        insert.run(
          one.classId,
          one.courseName,
          one.subjectAbbreviation,
          one.courseNumber,
          one.sectionNumber,
          one.semesterSeason,
          (one.classSchedule ?? []).join(' '),
        );
      }
    })();
    const select = file.prepare<[string], { id: string }>(
      'select id from found where found match ? order by rank limit 10',
    );
    return {
      search(text) {
        const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
        return select.all(words.map((word) => `"${word}"*`).join(' '))[0]?.id;
      },
    };
  },

  minisearch(classes) {
    const fields = ['courseName', 'subjectAbbreviation', 'courseNumber', 'sectionNumber'];
    const more = ['semesterSeason', 'classSchedule'];
    const index = new MiniSearch<Class>({ idField: 'classId', fields: [...fields, ...more] });
    index.addAll(classes);
    return {
      search: (text) =>
        index.search(text, { prefix: true, fuzzy: 0.2 }).slice(0, 10)[0]?.id as string | undefined,
    };
  },
};
