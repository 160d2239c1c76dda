// Persona names and classes as people and registrars write them.
import type { ClassFields } from '#contract/class-fields.ts';

/** One or more names in each of more than twenty scripts. */
export const namesByScript: Readonly<Record<string, readonly string[]>> = {
  Latin: ['Zoë', "Siobhán O'Hara", 'İpek', 'Łukasz', 'Nguyễn Thị Ánh', 'Straße 9', 'x'],
  Cyrillic: ['Щука', 'Ёжик', 'Їжак'],
  Greek: ['Ὀδυσσεύς', 'Μαΐου'],
  Arabic: ['ليلى', 'هدوء ٣', 'نیلوفر', 'می\u200cروم'],
  Hebrew: ['שׁקט', 'לילה טוב'],
  Armenian: ['Շուշան'],
  Georgian: ['ქეთევანი'],
  Devanagari: ['क्षितिज', 'हिन्दी'],
  Bengali: ['বৃষ্টি', 'র\u200d্যাচেল'],
  Gurmukhi: ['ਗੁਲਾਬ'],
  Gujarati: ['ગુજરાતી'],
  Tamil: ['யாழினி'],
  Telugu: ['నక్షత్రం', 'అమర్\u200cనాథ్'],
  Kannada: ['ನಕ್ಷತ್ರ'],
  Malayalam: ['മഴ', 'അവന്\u200d'],
  Sinhala: ['තාරකා', 'ශ්\u200dරියා'],
  Thai: ['น้ำฝน', 'กำลังใจ'],
  Lao: ['ນ້ຳ'],
  Myanmar: ['မြန်မာ'],
  Khmer: ['ខ្មែរ'],
  Tibetan: ['ཟླ'],
  Ethiopic: ['ሰላም'],
  Hangul: ['고양이', '한글'],
  Han: ['夜', '麒麟', '𠮷野家'],
  Hiragana: ['ねこ'],
  Katakana: ['カフェ', 'ｶﾀｶﾅ'],
  Cherokee: ['ᏣᎳᎩ'],
  Mongolian: ['ᠮᠣᠩᠭᠣᠯ'],
};

/** Names of Latin letters that code mistakes for syntax, and names of the shortest and the longest form. */
const oddNames = [
  'null pointer',
  'A&B',
  "'--drop",
  '#1 fan',
  'C++',
  '100 and 1',
  '...wait...',
  '__proto__',
  'constructor',
  'e\u0301te\u0301 2\u0302',
  'a\u0323\u0302\u0301',
  '7',
  'W'.repeat(30),
  'Maximiliane-Friederike Sophie!',
  'Ａｄａ ｗｉｄｅ',
  '  two   spaces ',
];

/** What the contract accepts, once tidied. */
export const personaNames: readonly string[] = [
  ...Object.values(namesByScript).flat(),
  ...oddNames,
];

/** What people type, and the contract rejects. */
export const rejectedPersonaNames: readonly string[] = [
  '🦉',
  'Night 🦉',
  '👩🏽‍🔬',
  'a'.repeat(40),
  '\u202eevil',
  'a\u200db',
  'a\u200cb',
  'x\u0300\u0301\u0302\u0303',
  '<b>x</b>',
  '...',
  ' ',
];

const courseNames = [
  'Input/Output & Interrupts',
  '“Race” and the City: Writing ‘Home’',
  'Español elemental: ¿quién soy?',
  'Rock ’n’ Roll — 100% History!',
  "Women's Health (WGSS/PUBH cross-listed)",
  'C++ & C#: what\\why',
  'Введение в анализ',
  '中文寫作 — 進階',
  'مقدمة في علم الأحياء',
  'Æsthetics, Œuvre & Ångström',
  '=SUM(A1:A9) Spreadsheets for Nonprofits',
  'Special Topics in Comparative Literature, Media & Performance: The Long Nineteenth Century and Its Afterlives (W)',
];
const subjects = [
  'cs',
  'C&I',
  'EECS/MATH',
  'WGSS',
  'ÉTUD',
  "A'SL",
  'B.A.',
  'PoliSci',
  '物理',
  'Comp Lit',
];
const courseNumbers = ['146', '1A', '32-L', '499/599', '10.1', "3'", '0042', 'H195%', 'Δ2'];
const sectionNumbers = ['02', '1', 'A/B', '007', 'Z&Y', '§4'];
const hours = [
  ['09:00', '10:15'],
  ['00:00', '23:59'],
  ['07:05', '07:55'],
  ['12:00', '12:50'],
  ['18:30', '21:20'],
] as const;
const schedules: readonly ClassFields['classSchedule'][] = [
  ['Monday', 'Wednesday'],
  ['Tuesday', 'Thursday'],
  ['Sunday'],
  ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
];
const seasons = ['Fall', 'Spring', 'Summer', 'Winter'] as const;

/** @param n the class's number. A hundred of them have every kind of each field. */
export function createClassFields(n: number): ClassFields {
  const [beginClassTime, endClassTime] = hours[n % hours.length]!;
  return {
    courseName: courseNames[n % courseNames.length]!,
    subjectAbbreviation: subjects[n % subjects.length]!,
    courseNumber: courseNumbers[n % courseNumbers.length]!,
    sectionNumber: sectionNumbers[n % sectionNumbers.length]!,
    semesterSeason: seasons[n % seasons.length]!,
    classSchedule: schedules[n % schedules.length]!,
    beginClassTime,
    endClassTime,
  };
}
