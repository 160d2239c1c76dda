// Reserved names that would impersonate staff, the university or the app.
import { personaNameKey } from './persona-name-key.ts';

/** Reserved as a word of the name, singular or plural: 'Prof. Smith', 'The Admins', 'DrBob'. */
const asWord = [
  ...['admin', 'administrator', 'administration', 'moderator', 'mod', 'owner', 'operator', 'root'],
  ...['system', 'server', 'support', 'helpdesk', 'security', 'official', 'staff', 'bot'],
  ...['professor', 'prof', 'dr', 'instructor', 'lecturer', 'teacher', 'tutor', 'dean', 'faculty'],
  ...['assistant', 'registrar', 'university', 'deleted', 'removed', 'sysadmin', 'webmaster', 'ta'],
  // Spanish, Portuguese, French, Italian, German, Dutch
  ...['profesor', 'profesora', 'profe', 'professora', 'maestra', 'docente', 'catedrático'],
  ...['moderador', 'moderadora', 'administrador', 'administradora', 'ayudante', 'asistente'],
  ...['professeur', 'professeure', 'enseignant', 'enseignante', 'modérateur', 'modératrice'],
  ...[
    'administrateur',
    'administratrice',
    'professore',
    'professoressa',
    'insegnante',
    'moderatore',
  ],
  ...['amministratore', 'professorin', 'dozent', 'dozentin', 'lehrer', 'lehrerin', 'moderatorin'],
  ...['tutorin', 'docent', 'leraar', 'hoogleraar'],
  // Polish, Turkish, Swedish, Indonesian
  ...['nauczyciel', 'wykładowca', 'öğretmen', 'profesör', 'yönetici', 'lärare', 'dosen'],
  // Russian, Ukrainian, Greek
  ...['профессор', 'преподаватель', 'учитель', 'учительница', 'доцент', 'лектор', 'админ'],
  ...['администратор', 'модератор', 'професор', 'викладач', 'вчитель', 'адмін', 'адміністратор'],
  ...['καθηγητής', 'καθηγήτρια', 'διαχειριστής'],
  // Arabic, Persian, Hebrew, Hindi
  ...['أستاذ', 'الأستاذ', 'استاذ', 'دكتور', 'الدكتور', 'معلم', 'المعلم', 'مدرس', 'مشرف', 'استاد'],
  ...['פרופסור', 'פרופ', 'מרצה', 'מורה', 'מנהל', 'प्रोफेसर', 'अध्यापक', 'शिक्षक'],
];

/** Reserved anywhere in the name: long words, and scripts without spaces between words. */
const anywhere = [
  ...['professor', 'moderator', 'administrator', 'instructor', 'lecturer', 'teachingassistant'],
  ...['profesor', 'профессор', 'администратор', 'модератор', 'преподаватель'],
  ...[
    '教授',
    '老师',
    '老師',
    '教师',
    '教師',
    '讲师',
    '講師',
    '助教',
    '导师',
    '導師',
    '管理员',
    '管理員',
    '版主',
  ],
  ...['先生', '教員', '管理人', '管理者', '교수', '선생', '강사', '조교', '관리자', '운영자'],
  ...['อาจารย์', 'ผู้ดูแล', 'giáo viên', 'giảng viên', 'giáo sư'],
];

/** Reserved at the beginning or the end of a word: 'adminbob', 'theteacher'. */
const atEdge = ['admin', 'teacher'];

/** Reserved as the whole name, with any spaces and punctuation. */
const whole = ['everybody', 'everyone', 'somebody', 'nobody', 'you', 'me', 'null', 'undefined'];

/** Allowed words that begin like a reserved one or look like one. */
const ordinary = /^(administ(er|ers|ered|ering)|clean|roots|systems)$/;
/** Allowed continuations of 'prof', as name keys, in which 'i' becomes 'l'. */
const ordinaryProf = /^prof(an|es|fer|l|ound|us)/;

const words = keysOf(asWord);
const wholes = keysOf(whole);
const parts = anywhere.map(personaNameKey);
const edges = atEdge.map(personaNameKey);
const prof = personaNameKey('prof');

/** @param appName the app's name on this server, which is reserved too */
export function isReserved(name: string, appName: string): boolean {
  const key = keyOf(name);
  if (key.includes(personaNameKey(appName)) || wholes.has(key)) return true;
  if (parts.some((part) => key.includes(part))) return true;
  return candidates(name).some((word) => isReservedWord(word));
}

function isReservedWord(word: string): boolean {
  if (ordinary.test(word.toLowerCase())) return false;
  const key = keyOf(word);
  if (words.has(key) || (key.length > 3 && words.has(key.replace(/e?s$/, '')))) return true;
  if (edges.some((edge) => key.startsWith(edge) || key.replace(/s$/, '').endsWith(edge)))
    return true;
  return key.startsWith(prof) && !ordinaryProf.test(key);
}

/**
 * The words of the name, the parts of compound words ('ProfSmith', 'TAMike'), and words that are split up ('P
 * r o f', 'Pro fessor').
 */
function candidates(name: string): string[] {
  const separate = name.split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
  const inner = separate.flatMap((word) => {
    const pieces = word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    // The syllable 'Ta' is not a title.
    return pieces.length > 1 ? pieces.filter((piece) => piece !== 'Ta') : [];
  });
  const joined: string[] = [];
  for (let from = 0; from < separate.length; from++) {
    for (let to = from + 2; to <= separate.length; to++) {
      const run = separate.slice(from, to);
      const isSpelled = run.every((letter) => Array.from(letter).length === 1);
      if (isSpelled || words.has(keyOf(run.join('')))) joined.push(run.join(''));
    }
  }
  const titles = /(?<!\p{L})TAs(?!\p{L})/u.test(name) ? ['TA'] : [];
  return [...separate, ...inner, ...joined, ...titles];
}

/** Drops trailing numbers, and reads digits inside a word as the letters that they resemble. */
function keyOf(text: string): string {
  const letters = text
    .replace(/[\p{N}\s]+$/u, '')
    .replace(/(?<=\p{L})[3457]|[3457](?=\p{L})/gu, (digit) => 'east'.charAt('3457'.indexOf(digit)));
  return personaNameKey(letters);
}

function keysOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(personaNameKey));
}
