// Typical queries and the hits that must come first, derived from the rules of the catalog.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import type { SearchHit } from '#contract/class-search.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { catalog } from './catalog.ts';
import { insertClasses } from './insert-classes.ts';

type Rule = (one: Class) => boolean;

const classes = catalog(20_000);

const course =
  (subject: string, number: string, section?: string): Rule =>
  (one) =>
    one.subjectAbbreviation?.toUpperCase() === subject &&
    one.courseNumber === number &&
    (section === undefined || one.sectionNumber === section);
const titled =
  (...titles: string[]): Rule =>
  (one) =>
    titles.includes(one.courseName ?? '');
const inSubject =
  (subject: string): Rule =>
  (one) =>
    one.subjectAbbreviation?.toUpperCase() === subject;
const on =
  (day: string): Rule =>
  (one) =>
    one.classSchedule?.includes(day) ?? false;
const inSeason =
  (season: string): Rule =>
  (one) =>
    one.semesterSeason === season;
const numbered =
  (number: string): Rule =>
  (one) =>
    one.courseNumber === number;
const both =
  (...rules: Rule[]): Rule =>
  (one) =>
    rules.every((rule) => rule(one));
/** The name contains words with these prefixes, in any position. */
const named =
  (...beginnings: string[]): Rule =>
  (one) =>
    beginnings.every((beginning) => new RegExp(`(^|[ -])${beginning}`).test(one.courseName ?? ''));

/** The query, and the rule for the classes that must fill the first page, most members first. */
const table: [string, Rule][] = [
  // A course code, in every spelling.
  ['cs146', course('CS', '146')],
  ['CS146', course('CS', '146')],
  ['CS 146', course('CS', '146')],
  ['cs-146', course('CS', '146')],
  ['Cs.146', course('CS', '146')],
  ['  cs   146  ', course('CS', '146')],
  ['cs 146 02', course('CS', '146', '02')],
  ['cs 146 2', course('CS', '146', '02')],
  ['CS146-02', course('CS', '146', '02')],
  ['cs 146 section 3', course('CS', '146', '03')],
  ['cs 146 sec 03', course('CS', '146', '03')],
  // The section number is not typed yet.
  ['cs 146 sec', course('CS', '146')],
  ['cs146 sectio', course('CS', '146')],
  ['cs146 section', course('CS', '146')],
  ['engl1b', course('ENGL', '1B')],
  ['ENGL 1B', course('ENGL', '1B')],
  ['engl 1a 04', course('ENGL', '1A', '04')],
  ['cs 157a', course('CS', '157A')],
  ['MATH161A', course('MATH', '161A')],
  ['math 3', course('MATH', '3')],
  ['cs 14', course('CS', '14')],
  ['cse146', course('CSE', '146')],
  ['chem 1a', course('CHEM', '1A')],
  ['econ1a', course('ECON', '1A')],
  ['arab 1a', course('ARAB', '1A')],
  // A course code with more words before or after it.
  ['fall cs 146', both(course('CS', '146'), inSeason('Fall'))],
  ['cs146 spring', both(course('CS', '146'), inSeason('Spring'))],
  ['cs 146 tuesday', both(course('CS', '146'), on('Tuesday'))],
  ['cs 146 data structures', course('CS', '146')],
  ['compiler design cs153', course('CS', '153')],
  // A subject, a number, a day or a season alone.
  ['cs', inSubject('CS')],
  ['math', inSubject('MATH')],
  ['art', inSubject('ART')],
  ['PSYC', inSubject('PSYC')],
  ['nurs', inSubject('NURS')],
  ['146', numbered('146')],
  ['157a', numbered('157A')],
  ['sunday', on('Sunday')],
  ['saturday', on('Saturday')],
  ['winter', inSeason('Winter')],
  ['math friday', both(inSubject('MATH'), on('Friday'))],
  // Names.
  ['operating systems', titled('Operating Systems')],
  // A name that starts with the query comes before 'Introduction to Data Structures'.
  ['data structures', titled('Data Structures and Algorithms')],
  ['data structures and algorithms', titled('Data Structures and Algorithms')],
  ['data structures & algorithms', titled('Data Structures and Algorithms')],
  ['algorithms data structures', titled('Data Structures and Algorithms')],
  ['linear algebra', named('Linear Algebra')],
  ['linear algebra ii', titled('Linear Algebra II')],
  ['linear algebra 2', titled('Linear Algebra II')],
  ['calc 3', titled('Calculus III')],
  ['calculus 3', titled('Calculus III')],
  ['calculus iii', titled('Calculus III')],
  ['calculus', named('Calculus')],
  ['drawing', titled('Drawing')],
  ['art history', titled('Art History')],
  ['yoga', titled('Yoga')],
  ['the fall of the roman empire', titled('The Fall of the Roman Empire')],
  ['fall of roman empire', titled('The Fall of the Roman Empire')],
  ['object oriented design', titled('Object-Oriented Design')],
  ['Object-Oriented', titled('Object-Oriented Design')],
  ['womens health', titled("Women's Health")],
  ["women's health", titled("Women's Health")],
  ['organic chemistry', titled('Organic Chemistry')],
  ['topology', titled('Topology')],
  // Prefixes of words, as they are typed.
  ['algo', named('Algo')],
  ['intro to psych', titled('Introduction to Psychology')],
  ['psych', named('Psych')],
  ['org chem', named('Organic Chem')],
  ['quantum ph', titled('Quantum Physics')],
  ['design c', titled('Design Concepts')],
  ['introduction to a', named('Introduction to A')],
  ['data structures an', titled('Data Structures and Algorithms')],
  ['trase', titled('Trade')],
  ['thermo', named('Thermo')],
  ['machine lear', titled('Machine Learning')],
  // Typing errors: a missing, wrong, additional or swapped letter.
  ['operatng systms', titled('Operating Systems')],
  ['compiler desgin', titled('Compiler Design')],
  ['compilre design', titled('Compiler Design')],
  ['algorithsm', named('Algorithms')],
  ['psycology', named('.*Psychology')],
  ['pyschology', named('.*Psychology')],
  ['phylosophy', named('.*Philosophy')],
  ['shakespere', named('Shakespeare')],
  ['thermodinamics', titled('Thermodynamics')],
  ['orgnaic chemsitry', titled('Organic Chemistry')],
  ['calclus 2', titled('Calculus II')],
  ['micobiology', titled('Microbiology')],
  ['acounting', named('.*Accounting')],
  ['improvisaton', titled('Jazz Improvisation')],
  ['vulcanoes', titled('Earthquakes and Volcanoes')],
  // Accents and other scripts.
  ['espanol elemental', titled('Español elemental')],
  ['ESPAÑOL', titled('Español elemental')],
  ['composicion', titled('Composición avanzada')],
  ['francais', titled('Français élémentaire')],
  ['litterature francaise', titled('Littérature française')],
  ['einfuhrung', titled('Einführung in die Sprachwissenschaft')],
  ['einfuehrung', titled('Einführung in die Sprachwissenschaft')],
  ['anfanger', titled('Deutsch für Anfänger')],
  ['jezyk polski', titled('Język polski')],
  ['tieng viet', titled('Tiếng Việt cơ bản')],
  ['turkce giris', titled('Türkçe Giriş')],
  ['nyborjare', titled('Svenska för nybörjare')],
  ['русский', titled('Русский язык')],
  ['ВЫСШАЯ МАТЕМАТИКА', titled('Высшая математика')],
  ['ελληνικη', titled('Ελληνική Φιλοσοφία')],
  ['العربية', titled('اللغة العربية')],
  ['עברית', titled('עברית למתחילים')],
  ['हिन्दी', titled('हिन्दी साहित्य')],
  ['日本語', titled('日本語入門')],
  ['代数', titled('線形代数')],
  ['微积分', titled('微积分')],
  ['한국어', titled('한국어 초급')],
  ['ｃｓ１４６', course('CS', '146')],
];

let app: RunningApp;
let ada: TestClient;
beforeAll(async () => {
  app = await startApp();
  await app.restart(() => insertClasses(app.database, classes));
  ada = await app.createStudent();
});
afterAll(() => app.stop());

test('the table has enough rows, and each has a hit', () => {
  expect(table.length).toBeGreaterThanOrEqual(60);
  for (const [query, rule] of table) expect(classes.filter(rule), query).not.toEqual([]);
});

/** Checks the order of the first page. Hits with equal counts may come in any order. */
function isRight(hits: readonly SearchHit[], rule: Rule): boolean {
  const wanted = classes.filter(rule).toSorted((a, b) => b.memberCount - a.memberCount);
  const ids = new Set(wanted.map((one) => one.classId));
  return wanted.slice(0, 10).every(({ memberCount }, i) => {
    const hit = hits[i];
    return hit && ids.has(hit.objectID) && hit.memberCount === memberCount;
  });
}

test('students find what they mean: exact codes first, then names, then typing errors [SEARCH-19, SEARCH-30, SEARCH-31, SEARCH-32, SEARCH-33, SEARCH-34, SEARCH-35]', async () => {
  const wrong: string[] = [];
  for (const [query, rule] of table) {
    const { hits } = await findClasses(ada, query);
    if (isRight(hits, rule)) continue;
    const first = hits.slice(0, 3).map((hit) => {
      const code = [hit.subjectAbbreviation, hit.courseNumber, hit.sectionNumber].join(' ');
      return `${code} ${hit.courseName ?? ''} (${hit.memberCount})`;
    });
    wrong.push(`${query}: ${first.join(' | ') || 'nothing'}`);
  }
  expect(wrong.join('\n')).toBe('');
});

test('A client can page through a thousand hits, and the count includes all of them [SEARCH-14, SEARCH-112]', async () => {
  const counts = classes.map((one) => one.memberCount).toSorted((a, b) => b - a);
  const listMemberCounts = async (page: number, hitsPerPage = 10) =>
    (await findClasses(ada, '', { page, hitsPerPage })).hits.map((hit) => hit.memberCount);

  const everything = await findClasses(ada, '');

  expect(everything).toMatchObject({ nbHits: 20_000, nbPages: 100, hitsPerPage: 10 });
  expect(await listMemberCounts(99)).toEqual(counts.slice(990, 1000));
  expect(await listMemberCounts(100)).toEqual([]);
  expect(await listMemberCounts(9, 100)).toEqual(counts.slice(900, 1000));
  expect(await listMemberCounts(14, 70)).toEqual(counts.slice(980, 1000));
  expect(await listMemberCounts(1000, 100)).toEqual([]);
});
