// Queries as students type them: how many find their class first, and how long they take in a large index, also if
// they find nothing. And how long the index takes to follow a change.
import type { Class } from '../../src/contract/entities.ts';
import { ClassIndex } from '#server/features/class-search/class-index.ts';
import { findHits } from '#server/features/class-search/find-hits.ts';
import { loadShortForms } from '#server/features/class-search/rewrite/short-forms.ts';
import { createCatalog } from '../../tests/search/catalog.ts';
import { createCollegeCatalog } from '../../tests/search/college-catalog.ts';
import {
  heldOutQueries,
  tunedQueries,
  type StudentQuery,
} from '../../tests/search/student-queries.ts';
import { summarize, type Times } from '../percentiles.ts';

export interface RewriteFigures {
  classes: number;
  /** Right first results of the two halves of the table, in the college's catalog. */
  rightTuned: string;
  rightHeldBack: string;
  studentQueries: Times;
  findingNothing: Times;
  /** A new class and the next query. */
  adding: Times;
  removing: Times;
}

/** Unknown words, common words that no class has together, and input without any meaning. */
const queriesWithoutHits = [
  'underwater basket weaving',
  'introduction to underwater basket weaving',
  'advanced seminar in unicorns',
  'zzzz qqqq',
  'asdfghjkl qwertyuiop zxcvbnm',
  'monday tuesday wednesday thursday friday saturday sunday',
  'advanced introduction topics seminar foundations research methods practice society',
  'intrdouction semniar laobratory tpoics fuondations',
  'stats orgo calc bio chem phys psych soc econ poli sci',
  'x'.repeat(512),
  'abcdefghijklmnopqrstuvwxyz'.repeat(19),
  'q w z '.repeat(85),
  'фыва олдж',
];
const rounds = 40;
const changes = 300;

export function measureRewrites(classCount: number): RewriteFigures {
  const shortForms = loadShortForms(null);
  const college = new ClassIndex(shortForms);
  for (const catalogClass of createCollegeCatalog()) college.put(catalogClass);
  const index = new ClassIndex(shortForms);
  const classes = createCatalog(classCount);
  for (const catalogClass of classes) index.put(catalogClass);
  const students = [...tunedQueries, ...heldOutQueries].map(({ text }) => text);
  return {
    classes: classCount,
    rightTuned: formatRightCount(college, tunedQueries),
    rightHeldBack: formatRightCount(college, heldOutQueries),
    studentQueries: measureTimes(index, students, rounds / 4),
    findingNothing: measureTimes(index, queriesWithoutHits, rounds),
    ...changeTimes(index, classes),
  };
}

function search(index: ClassIndex, query: string) {
  return findHits(index, {
    indexName: 'classSearch',
    query,
    page: 0,
    hitsPerPage: 10,
    facets: [],
    maxValuesPerFacet: 100,
    facetFilters: [],
    highlightPreTag: '<em>',
    highlightPostTag: '</em>',
  }).hits;
}

function formatRightCount(index: ClassIndex, queries: readonly StudentQuery[]): string {
  const right = queries.filter(({ text, courses }) => {
    const [hit] = search(index, text);
    return courses.includes(`${hit?.subjectAbbreviation} ${hit?.courseNumber}`);
  });
  return `${right.length} of ${queries.length}`;
}

function measureTimes(index: ClassIndex, queries: readonly string[], count: number): Times {
  for (const query of queries) search(index, query);
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    for (const query of queries) times.push(measureMs(() => search(index, query)));
  }
  return summarize(times);
}

function changeTimes(index: ClassIndex, classes: readonly Class[]) {
  const adding: number[] = [];
  const removing: number[] = [];
  for (let n = 0; n < changes; n++) {
    const old = classes[(n * 331) % classes.length];
    if (!old) break;
    const newClass = { ...old, classId: `new${n}`.padEnd(16, 'x'), courseName: `New Course ${n}x` };
    const add = () => {
      index.put(newClass);
      search(index, newClass.courseName);
    };
    adding.push(measureMs(add));
    removing.push(measureMs(() => index.remove(old.classId)));
  }
  return { adding: summarize(adding), removing: summarize(removing) };
}

function measureMs(act: () => unknown): number {
  const begunAt = performance.now();
  act();
  return performance.now() - begunAt;
}
