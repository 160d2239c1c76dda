import { dictionary } from '@zxcvbn-ts/language-common';
import { expect, test } from 'vitest';
import { isReserved } from './reserved-names.ts';

test.each([
  'admin',
  'ADMIN',
  'Аdmin', // Cyrillic А
  'a d m i n',
  'Admin2',
  'The Admin',
  'mоderator', // Cyrillic о
  'Prof. Smith',
  'Dr Smith',
  'T.A.',
  'Backchannel',
  'Back Channel team',
  'deleted',
  'Deleted user',
  'everyone',
  'ProfSmith',
  'DrBob',
  'TA Mike',
  'TAMike',
  'mike - ta',
  'Admins',
  'adminbob',
  '4dm1n',
  'M0d3rator',
  'P r o f Smith',
  'T. A. Mike',
  'Pro fessor X',
  'Aclmin',
  'Theteacher',
  'Профессор',
  'админ',
  'Le professeur',
  'Herr Dozent',
  '王老师',
  '田中先生',
  '김교수님',
  'الأستاذ أحمد',
  'Рrof Smith', // Cyrillic Р
])('%s is reserved [PERSONA-15]', (name) => {
  expect(isReserved(name, 'Backchannel')).toBe(true);
});

test.each([
  'Ada',
  'Drew',
  'Tama',
  'Profiterole',
  'Meg',
  'Fox 7',
  'Tanya',
  'Clean Slate',
  'LaTasha',
  'Agent 47',
  'Mamod',
  'Иван',
  '小熊',
])('%s is available [PERSONA-15]', (name) => {
  expect(isReserved(name, 'Backchannel')).toBe(false);
});

test.each([
  ['in the middle of a title', 'مع\u200cلم'],
  ['in the middle of another title', 'م\u200cدرس سارا'],
  ['after a title', 'استاد\u200cعلی'],
  ['in the middle of a title in Hindi', 'शिक्\u200dषक'],
])('a joiner %s does not hide it [PERSONA-28]', (_, name) => {
  expect(isReserved(name, 'Backchannel')).toBe(true);
});

test.each(['می\u200cروم', 'ශ්\u200dරී ලංකා', 'অর্\u200cক'])(
  '%s, which has a joiner and no title, is available [PERSONA-28]',
  (name) => {
    expect(isReserved(name, 'Backchannel')).toBe(false);
  },
);

test.each([
  ['a kashida', 'معيـد'],
  ['several of them', 'مـعـيـد سارا'],
  ['a vowel sign after the article', 'المُدرِّس'],
])('%s does not hide an Arabic title [PERSONA-25]', (_, name) => {
  expect(isReserved(name, 'Backchannel')).toBe(true);
});

test.each(['Decan0', 'Ayudant3', 'Backchanne1', 'Backchanne1 3'])(
  'a digit for the last letter does not hide the title in %s [PERSONA-25]',
  (name) => {
    expect(isReserved(name, 'Backchannel')).toBe(true);
  },
);

/** Wherever these titles stand in a name. */
const titles = {
  English:
    'Professor, Lecturer, Instructor, Tutor, TA, GTA, Teaching Assistant, Teaching Fellow, Teaching Fellows, Grader, Graders, Head Grader, Dean, Provost, Rector, Registrar, Chancellor, Moderator, Admin, Administrator, Operator, Staff, Support, Faculty, Examiner, Proctor, Invigilator, Course Assistant, Course Assistants, Section Leader, Head TA, Preceptor, Demonstrator, Lab Assistant, Department Chair, Personal Tutor, Course Staff, Teaching-Fellow, Gr4der, TeachingFellow, Doctor',
  German:
    'Dozent, Dozentin, DozentIn, Professorin, Tutorin, Hiwi, Hiwis, Wissenschaftlicher Mitarbeiter, Wissenschaftliche Mitarbeiterin, Dekan, Prüfer, Prufer, Pruefer, Prüferin, Lehrkraft, Betreuer, Betreuerin, Verwaltung, Lehrbeauftragte, Privatdozent, Übungsleiterin, Korrektor, Studentische Hilfskraft, Assistent, Doktor, Uebungsleiter, Korrekturassistent',
  French:
    'Professeur, Professeure, Enseignant, Enseignante, Chargé de cours, Chargee de cours, Maître de conférences, Maitre de conferences, Doyen, Doyenne, Assistante, Correcteur, Correctrice, Vacataire, Tutrice, Chargé de TD, Examinatrice, Chargés de cours, Docteur, Évaluatrice',
  Spanish:
    'Profesor, Profesora, Profe, Docente, Docentes, Catedrático, Catedratica, Ayudante, Decano, Decana, Tutora, Calificador, Calificadora, Auxiliar docente, Becario docente, Vicerrectora, Examinador, Ayudante de cátedra, Doctora, Evaluador',
  Arabic:
    'أستاذ, أستاذة, الأستاذة, استاذ, دكتور, الدكتورة, معيد, المعيدة, مدرس, المدرسة, محاضر, المحاضر, عميد, العميد, مشرف, المشرفة, مساعد تدريس, مساعدة تدريس, أستاذ مساعد, رئيس القسم, هيئة التدريس',
  Chinese:
    '教授, 副教授, 老师, 老師, 讲师, 講師, 助教, 院长, 院長, 导师, 導師, 辅导员, 輔導員, 管理员, 管理員, 教务, 教務, 考官, 监考, 監考, 班主任, 系主任, 教学助理, 教學助理, 评分员, 評分員',
};
const titleEntries = Object.entries(titles).flatMap(([language, list]) =>
  list.split(', ').map((title) => [title, language] as const),
);

test.each(titleEntries)(
  '%s, a title in %s, is reserved, alone and with a name [PERSONA-15, PERSONA-27]',
  (title) => {
    for (const name of [title, `${title} Kim`, `Kim ${title}`, title.toUpperCase(), `${title} 2`]) {
      expect(isReserved(name, 'Backchannel'), name).toBe(true);
    }
  },
);

test.each(['Reader', 'Marker', 'Supervisor', 'Coordinator', 'Auxiliar', 'Becario', 'Moniteur'])(
  '%s is reserved as a whole name, because it is an ordinary word in others [PERSONA-15, PERSONA-27]',
  (title) => {
    expect(isReserved(title, 'Backchannel')).toBe(true);
    expect(isReserved(`Kim ${title} Sol`, 'Backchannel')).toBe(false);
  },
);

test.each([
  ...['Avid Reader', 'Magic Marker', 'Deanna', 'Jordan Deane', 'Gradering', 'Upgrade', 'Gradient'],
  ...['Stafford', 'Hiwilani', 'Tatiana', 'Decanter', 'Doyle', 'Tutorial', 'Fellow Traveler'],
  ...['Betreut', 'Moni', 'Aya', 'سارة', 'عمر', 'ليلى', 'المها', '小明', '教堂', '老虎', '院子'],
  ...['Quiet Heron', 'Second Row', 'Late Again', 'Búho', 'Off By One', 'Night Library'],
])('%s, which only resembles a title, is available [PERSONA-25]', (name) => {
  expect(isReserved(name, 'Backchannel')).toBe(false);
});

test('the configured name of the app is reserved [PERSONA-15, CONF-1]', () => {
  expect(isReserved('Quad', 'Quad')).toBe(true);
  expect(isReserved('Quad', 'Backchannel')).toBe(false);
});

test('of the ordinary words and names, only these are rejected [PERSONA-25]', () => {
  const common = dictionary['passwords-common'].filter((word) => /^[a-z]{3,12}$/.test(word));
  const names = [...dictionary['diceware-common'], ...common.slice(0, 12_000)];
  const toName = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const reservedNames = names.filter((name) => isReserved(toName(name), 'Backchannel'));
  expect(names.length).toBeGreaterThan(15_000);
  expect([...new Set(reservedNames)].toSorted()).toEqual([
    ...[
      'admin',
      'dean',
      'doctor',
      'doktor',
      'everybody',
      'everyone',
      'faculty',
      'grader',
      'lecturer',
      'marker',
      'nobody',
      'null',
      'operator',
    ],
    ...[
      'professor',
      'reader',
      'registrar',
      'removed',
      'root',
      'security',
      'server',
      'somebody',
      'staff',
    ],
    ...['support', 'system', 'teacher', 'tutor', 'undefined', 'university', 'webmaster'],
  ]);
  // These rejections are intended. 'Dean' stays reserved, although it is also a first name.
  expect(reservedNames.length / names.length).toBeLessThan(0.005);
});
