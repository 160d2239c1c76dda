// Typical queries and the hits that must come first, derived from the rules of the catalog.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import type { SearchHit } from '#contract/class-search.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createCatalog } from './catalog.ts';
import { insertClasses } from './insert-classes.ts';

type Rule = (one: Class) => boolean;

const classes = createCatalog(20_000);

const isCourse =
  (subject: string, number: string, section?: string): Rule =>
  (candidate) =>
    candidate.subjectAbbreviation?.toUpperCase() === subject &&
    candidate.courseNumber === number &&
    (section === undefined || candidate.sectionNumber === section);
const hasTitle =
  (...titles: string[]): Rule =>
  (candidate) =>
    titles.includes(candidate.courseName ?? '');
const isInSubject =
  (subject: string): Rule =>
  (candidate) =>
    candidate.subjectAbbreviation?.toUpperCase() === subject;
const isOn =
  (day: string): Rule =>
  (candidate) =>
    candidate.classSchedule?.includes(day) ?? false;
const isInSeason =
  (season: string): Rule =>
  (candidate) =>
    candidate.semesterSeason === season;
const hasNumber =
  (number: string): Rule =>
  (candidate) =>
    candidate.courseNumber === number;
const allowOnly =
  (...rules: Rule[]): Rule =>
  (candidate) =>
    rules.every((rule) => rule(candidate));
/** The name contains words with these prefixes, in any position. */
const hasWords =
  (...beginnings: string[]): Rule =>
  (candidate) =>
    beginnings.every((beginning) =>
      new RegExp(`(^|[ -])${beginning}`).test(candidate.courseName ?? ''),
    );

/** The query, and the rule for the classes that must fill the first page, most members first. */
const table: [string, Rule][] = [
  // A course code, in every spelling.
  ['cs146', isCourse('CS', '146')],
  ['CS146', isCourse('CS', '146')],
  ['CS 146', isCourse('CS', '146')],
  ['cs-146', isCourse('CS', '146')],
  ['Cs.146', isCourse('CS', '146')],
  ['  cs   146  ', isCourse('CS', '146')],
  ['cs 146 02', isCourse('CS', '146', '02')],
  ['cs 146 2', isCourse('CS', '146', '02')],
  ['CS146-02', isCourse('CS', '146', '02')],
  ['cs 146 section 3', isCourse('CS', '146', '03')],
  ['cs 146 sec 03', isCourse('CS', '146', '03')],
  // The section number is not typed yet.
  ['cs 146 sec', isCourse('CS', '146')],
  ['cs146 sectio', isCourse('CS', '146')],
  ['cs146 section', isCourse('CS', '146')],
  ['engl1b', isCourse('ENGL', '1B')],
  ['ENGL 1B', isCourse('ENGL', '1B')],
  ['engl 1a 04', isCourse('ENGL', '1A', '04')],
  ['cs 157a', isCourse('CS', '157A')],
  ['MATH161A', isCourse('MATH', '161A')],
  ['math 3', isCourse('MATH', '3')],
  ['cs 14', isCourse('CS', '14')],
  ['cse146', isCourse('CSE', '146')],
  ['chem 1a', isCourse('CHEM', '1A')],
  ['econ1a', isCourse('ECON', '1A')],
  ['arab 1a', isCourse('ARAB', '1A')],
  // A course code with more words before or after it.
  ['fall cs 146', allowOnly(isCourse('CS', '146'), isInSeason('Fall'))],
  ['cs146 spring', allowOnly(isCourse('CS', '146'), isInSeason('Spring'))],
  ['cs 146 tuesday', allowOnly(isCourse('CS', '146'), isOn('Tuesday'))],
  ['cs 146 data structures', isCourse('CS', '146')],
  ['compiler design cs153', isCourse('CS', '153')],
  // A subject, a number, a day or a season alone.
  ['cs', isInSubject('CS')],
  ['math', isInSubject('MATH')],
  ['art', isInSubject('ART')],
  ['PSYC', isInSubject('PSYC')],
  ['nurs', isInSubject('NURS')],
  ['146', hasNumber('146')],
  ['157a', hasNumber('157A')],
  ['sunday', isOn('Sunday')],
  ['saturday', isOn('Saturday')],
  ['winter', isInSeason('Winter')],
  ['math friday', allowOnly(isInSubject('MATH'), isOn('Friday'))],
  // Names.
  ['operating systems', hasTitle('Operating Systems')],
  // A name that starts with the query comes before 'Introduction to Data Structures'.
  ['data structures', hasTitle('Data Structures and Algorithms')],
  ['data structures and algorithms', hasTitle('Data Structures and Algorithms')],
  ['data structures & algorithms', hasTitle('Data Structures and Algorithms')],
  ['algorithms data structures', hasTitle('Data Structures and Algorithms')],
  ['linear algebra', hasWords('Linear Algebra')],
  ['linear algebra ii', hasTitle('Linear Algebra II')],
  ['linear algebra 2', hasTitle('Linear Algebra II')],
  ['calc 3', hasTitle('Calculus III')],
  ['calculus 3', hasTitle('Calculus III')],
  ['calculus iii', hasTitle('Calculus III')],
  ['calculus', hasWords('Calculus')],
  ['drawing', hasTitle('Drawing')],
  ['art history', hasTitle('Art History')],
  ['yoga', hasTitle('Yoga')],
  ['the fall of the roman empire', hasTitle('The Fall of the Roman Empire')],
  ['fall of roman empire', hasTitle('The Fall of the Roman Empire')],
  ['object oriented design', hasTitle('Object-Oriented Design')],
  ['Object-Oriented', hasTitle('Object-Oriented Design')],
  ['womens health', hasTitle("Women's Health")],
  ["women's health", hasTitle("Women's Health")],
  ['organic chemistry', hasTitle('Organic Chemistry')],
  ['topology', hasTitle('Topology')],
  // Prefixes of words, as they are typed.
  ['algo', hasWords('Algo')],
  ['intro to psych', hasTitle('Introduction to Psychology')],
  ['psych', hasWords('Psych')],
  ['org chem', hasWords('Organic Chem')],
  ['quantum ph', hasTitle('Quantum Physics')],
  ['design c', hasTitle('Design Concepts')],
  ['introduction to a', hasWords('Introduction to A')],
  ['data structures an', hasTitle('Data Structures and Algorithms')],
  ['trase', hasTitle('Trade')],
  ['thermo', hasWords('Thermo')],
  ['machine lear', hasTitle('Machine Learning')],
  // Typing errors: a missing, wrong, additional or swapped letter.
  ['operatng systms', hasTitle('Operating Systems')],
  ['compiler desgin', hasTitle('Compiler Design')],
  ['compilre design', hasTitle('Compiler Design')],
  ['algorithsm', hasWords('Algorithms')],
  ['psycology', hasWords('.*Psychology')],
  ['pyschology', hasWords('.*Psychology')],
  ['phylosophy', hasWords('.*Philosophy')],
  ['shakespere', hasWords('Shakespeare')],
  ['thermodinamics', hasTitle('Thermodynamics')],
  ['orgnaic chemsitry', hasTitle('Organic Chemistry')],
  ['calclus 2', hasTitle('Calculus II')],
  ['micobiology', hasTitle('Microbiology')],
  ['acounting', hasWords('.*Accounting')],
  ['improvisaton', hasTitle('Jazz Improvisation')],
  ['vulcanoes', hasTitle('Earthquakes and Volcanoes')],
  // Accents and other scripts.
  ['espanol elemental', hasTitle('Español elemental')],
  ['ESPAÑOL', hasTitle('Español elemental')],
  ['composicion', hasTitle('Composición avanzada')],
  ['francais', hasTitle('Français élémentaire')],
  ['litterature francaise', hasTitle('Littérature française')],
  ['einfuhrung', hasTitle('Einführung in die Sprachwissenschaft')],
  ['einfuehrung', hasTitle('Einführung in die Sprachwissenschaft')],
  ['anfanger', hasTitle('Deutsch für Anfänger')],
  ['jezyk polski', hasTitle('Język polski')],
  ['tieng viet', hasTitle('Tiếng Việt cơ bản')],
  ['turkce giris', hasTitle('Türkçe Giriş')],
  ['nyborjare', hasTitle('Svenska för nybörjare')],
  ['русский', hasTitle('Русский язык')],
  ['ВЫСШАЯ МАТЕМАТИКА', hasTitle('Высшая математика')],
  ['ελληνικη', hasTitle('Ελληνική Φιλοσοφία')],
  ['العربية', hasTitle('اللغة العربية')],
  ['עברית', hasTitle('עברית למתחילים')],
  ['हिन्दी', hasTitle('हिन्दी साहित्य')],
  ['日本語', hasTitle('日本語入門')],
  ['代数', hasTitle('線形代数')],
  ['微积分', hasTitle('微积分')],
  ['한국어', hasTitle('한국어 초급')],
  ['ｃｓ１４６', isCourse('CS', '146')],
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
  const wantedClasses = classes.filter(rule).toSorted((a, b) => b.memberCount - a.memberCount);
  const ids = new Set(wantedClasses.map((wantedClass) => wantedClass.classId));
  return wantedClasses.slice(0, 10).every(({ memberCount }, i) => {
    const hit = hits[i];
    return hit && ids.has(hit.objectID) && hit.memberCount === memberCount;
  });
}

test('exact codes are found first, then names, then typing errors [SEARCH-31, SEARCH-30, SEARCH-33, SEARCH-34]', async () => {
  const wrongAnswers: string[] = [];
  for (const [query, rule] of table) {
    const { hits } = await findClasses(ada, query);
    if (isRight(hits, rule)) continue;
    const first = hits.slice(0, 3).map((hit) => {
      const code = [hit.subjectAbbreviation, hit.courseNumber, hit.sectionNumber].join(' ');
      return `${code} ${hit.courseName ?? ''} (${hit.memberCount})`;
    });
    wrongAnswers.push(`${query}: ${first.join(' | ') || 'nothing'}`);
  }

  expect(wrongAnswers.join('\n')).toBe('');
});

test('a client can page through a thousand hits [SEARCH-11, SEARCH-111]', async () => {
  const counts = classes.map((candidate) => candidate.memberCount).toSorted((a, b) => b - a);
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
