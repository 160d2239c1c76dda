// Reserved names that would impersonate staff, the university or the app.
import { toPersonaNameKey, stretchCharacters } from './persona-name-key.ts';

/** Splits lines at spaces into titles. `_` stands for a space inside a title. */
const listTitles = (...lines: readonly string[]) =>
  lines.flatMap((line) => line.split(' ')).map((title) => title.replaceAll('_', ' '));

/** Reserved as words of the name, singular or plural: 'Prof. Smith', 'The Admins', 'DrBob', 'Head Grader'. */
const titlesAsWords = listTitles(
  // The app and the site
  'admin administrator administration moderator mod owner operator root system server support helpdesk security',
  'official staff bot deleted removed sysadmin webmaster',
  // English
  'professor prof dr instructor lecturer teacher tutor ta gta ula dean provost rector chancellor vice_chancellor registrar',
  'bursar ombudsman faculty assistant adjunct preceptor demonstrator grader examiner proctor invigilator',
  'teaching_fellow teaching_assistant graduate_assistant course_assistant lab_assistant learning_assistant',
  'undergraduate_assistant research_assistant section_leader course_leader module_leader course_coordinator',
  'course_director program_director programme_director department_chair head_of_department department_head',
  'doctor head_ta peer_mentor peer_tutor academic_advisor academic_adviser personal_tutor course_staff teaching_staff',
  'teaching_team university',
  // Spanish, Portuguese
  'profesor profesora profe professora maestra docente catedrático catedrática ayudante asistente decano decana vicedecano',
  'vicedecana rector rectora vicerrector vicerrectora secretario_académico calificador calificadora examinador examinadora',
  'moderador moderadora administrador administradora tutora profesorado auxiliar_docente auxiliar_de_cátedra',
  'ayudante_de_cátedra jefe_de_trabajos_prácticos becario_docente becaria_docente personal_docente jefe_de_estudios',
  'jefa_de_estudios corrector correctora doctora evaluador evaluadora',
  // French
  'professeur professeure enseignant enseignante modérateur modératrice administrateur administratrice doyen doyenne',
  'recteur rectrice correcteur correctrice examinateur examinatrice vacataire chargé_de_cours chargée_de_cours',
  'chargé_de_td chargée_de_td chargé_de_tp chargée_de_tp maître_de_conférences maîtresse_de_conférences',
  'maître_assistant assistant_enseignant moniteur_de_td tuteur tutrice responsable_de_cours surveillant_d_examen',
  'directeur_d_études directrice_d_études scolarité équipe_pédagogique assistante docteur docteure évaluateur évaluatrice',
  'chargés_de_cours chargées_de_cours chargés_de_td chargées_de_td',
  // German
  'professorin dozent dozentin lehrer lehrerin moderatorin tutorin dekan dekanin pruefer prueferin lehrkraefte prodekan prodekanin rektor rektorin',
  'kanzler kanzlerin prüfer prüferin prüfungsamt prüfungsaufsicht lehrkraft lehrkräfte lehrbeauftragter lehrbeauftragte',
  'lehrstuhl hiwi hilfskraft wissenschaftlicher_mitarbeiter wissenschaftliche_mitarbeiterin wissenschaftliche_hilfskraft',
  'studentische_hilfskraft übungsleiter übungsleiterin übungsgruppenleiter seminarleiter seminarleiterin kursleiter',
  'kursleiterin korrektor korrektorin privatdozent privatdozentin betreuer betreuerin studienberatung verwaltung',
  'studiendekan studiendekanin assistent assistentin doktor doktorin uebungsleiter uebungsleiterin kursassistent',
  'kursassistentin korrekturassistent korrekturassistentin',
  // Italian, Dutch
  'professore professoressa insegnante moderatore amministratore docent leraar hoogleraar',
  // Polish, Turkish, Swedish, Indonesian
  'nauczyciel wykładowca öğretmen profesör yönetici lärare dosen',
  // Russian, Ukrainian, Greek
  'профессор преподаватель учитель учительница доцент лектор админ администратор модератор професор викладач вчитель адмін',
  'адміністратор καθηγητής καθηγήτρια διαχειριστής',
  // Arabic, Persian
  'أستاذ أستاذة دكتور دكتورة معلم معلمة مدرس مدرسة معيد معيدة محاضر محاضرة عميد عميدة مشرف مشرفة مصحح مراقب ممتحن مدير مديرة',
  'رئيس_القسم رئيسة_القسم مساعد_تدريس مساعدة_تدريس مدرس_مساعد أستاذ_مساعد هيئة_التدريس عضو_هيئة_تدريس استاذ استاد',
  // Hebrew, Hindi
  'פרופסור פרופ מרצה מורה מנהל प्रोफेसर अध्यापक शिक्षक',
);

/** Reserved anywhere in the name: long words, and scripts without spaces between words. */
const titlesAnywhere = listTitles(
  'professor moderator administrator instructor lecturer teachingassistant teachingfellow',
  'profesor профессор администратор модератор преподаватель',
  // Chinese, simplified and traditional
  '教授 老师 老師 教师 教師 讲师 講師 助教 导师 導師 助理教授 辅导员 輔導員 班主任 院长 院長 系主任 校长 校長 教务 教務 考官',
  '教学助理 教學助理 课程助理 課程助理 評分員 评分员 評分员 助敎 监考 監考 阅卷 閱卷 批改员 批改員 客座教授 管理员 管理員 版主 教职员 教職員 教职工 教研室 助管',
  // Japanese, Korean, Thai, Vietnamese
  '先生 教員 管理人 管理者 교수 선생 강사 조교 관리자 운영자 อาจารย์ ผู้ดูแล giáo_viên giảng_viên giáo_sư trợ_giảng',
);

/** Reserved at the beginning or the end of a word: 'adminbob', 'theteacher'. */
const titlesAtEdge = ['admin', 'teacher'];

/** Reserved as the whole name, with any spaces and punctuation. */
const wholeNames = [
  ...['everybody', 'everyone', 'somebody', 'nobody', 'you', 'me', 'null', 'undefined'],
  // Titles that are also ordinary words: 'Avid Reader' and 'Magic Marker' are free.
  ...['reader', 'marker', 'coordinator', 'advisor', 'adviser', 'supervisor'],
  ...['auxiliar', 'becario', 'becaria', 'moniteur', 'monitrice', 'secretaría', 'secretariado'],
];

/** Allowed words that begin like a reserved word or look like one. */
const ordinaryWord = /^(administ(er|ers|ered|ering)|clean|roots|systems)$/;
/** Allowed continuations of 'prof', as name keys, in which 'i' becomes 'l'. */
const ordinaryProf = /^prof(an|es|fer|l|ound|us)/;

const wordKeys = toKeys(titlesAsWords);
const wholeNameKeys = toKeys(wholeNames);
const partKeys = titlesAnywhere.map(toPersonaNameKey);
const edgeKeys = titlesAtEdge.map(toPersonaNameKey);
const profKey = toPersonaNameKey('prof');

/** @param appName the app's name on this server, which is also reserved */
export function isReserved(name: string, appName: string): boolean {
  const key = toKey(name);
  const appKey = toPersonaNameKey(appName);
  // A digit at the end can stand for a letter of the name, as in 'Decan0', so the full key is checked, too.
  if (key.includes(appKey) || toPersonaNameKey(name).includes(appKey) || wholeNameKeys.has(key)) {
    return true;
  }
  if (partKeys.some((part) => key.includes(part))) return true;
  return listCandidates(name).some((word) => isReservedWord(word));
}

function isReservedWord(word: string): boolean {
  if (ordinaryWord.test(word.toLowerCase())) return false;
  const key = toKey(word);
  if (isTitle(key)) return true;
  const keyWithDigits = replaceDigits(word);
  if (keyWithDigits.length > 3 && wordKeys.has(keyWithDigits)) return true;
  if (edgeKeys.some((edge) => key.startsWith(edge) || key.replace(/s$/, '').endsWith(edge))) {
    return true;
  }
  return key.startsWith(profKey) && !ordinaryProf.test(key);
}

/** Tells whether the key is that of a title, in the singular or the plural. */
function isTitle(key: string): boolean {
  return wordKeys.has(key) || (key.length > 3 && wordKeys.has(key.replace(/e?s$/, '')));
}

/**
 * Lists the words of the name, the parts of compound words ('ProfSmith', 'TAMike'), and words that are split up ('P
 * r o f', 'Pro fessor').
 */
function listCandidates(name: string): string[] {
  const nameWords = name.split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
  const compoundParts = nameWords.flatMap((word) => {
    const pieces = word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
    // The syllable 'Ta' is not a title.
    return pieces.length > 1 ? pieces.filter((piece) => piece !== 'Ta') : [];
  });
  const joinedWords: string[] = [];
  for (let from = 0; from < nameWords.length; from++) {
    for (let to = from + 2; to <= nameWords.length; to++) {
      const sequence = nameWords.slice(from, to);
      const isSpelledOut = sequence.every((word) => Array.from(word).length === 1);
      const text = sequence.join(isSpelledOut ? '' : ' ');
      if (isSpelledOut || isTitle(toKey(text))) joinedWords.push(text);
    }
  }
  const titles = /(?<!\p{L})TAs(?!\p{L})/u.test(name) ? ['TA'] : [];
  return [...nameWords, ...compoundParts, ...joinedWords, ...titles];
}

/** Drops trailing numbers and the Arabic article, and reads digits inside a word as the letters that they resemble. */
function toKey(text: string): string {
  const letters = text
    .replace(/[\p{N}\s]+$/u, '')
    .replace(/\p{Script=Inherited}/gu, '')
    .replace(stretchCharacters, '')
    .replace(/(?<!\p{L})ال(?=\p{L}{3})/gu, '');
  return replaceDigits(letters);
}

function replaceDigits(text: string): string {
  const letters = text.replace(/(?<=\p{L})[3457]|[3457](?=\p{L})/gu, (digit) =>
    'east'.charAt('3457'.indexOf(digit)),
  );
  return toPersonaNameKey(letters);
}

function toKeys(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(toKey));
}
