// A university's classes made by rules, the same each time: what students would create in some years.
// The ranking table takes from the same rules what must be found; the bench takes as many as it wants.
import { semesterSeasons, weekdays, type Weekday } from '#contract/class-fields.ts';
import type { Class } from '#contract/entities.ts';
import { createRandom, type Random } from '../faults/random.ts';

export interface Course {
  subject: string;
  number: string;
  title: string;
}

/** What students look for by name. Numbers below 300 are theirs alone. */
const landmarks = `
CS 46A Introduction to Programming
CS 46B Introduction to Data Structures
CS 146 Data Structures and Algorithms
CS 147 Computer Architecture
CS 149 Operating Systems
CS 151 Object-Oriented Design
CS 152 Programming Paradigms
CS 153 Compiler Design
CS 154 Formal Languages and Computability
CS 156 Introduction to Artificial Intelligence
CS 157A Database Management Systems
CS 166 Information Security
CS 171 Machine Learning
CS 14 Computing for Everybody
CSE 146 Embedded Hardware
CSE 20 Digital Circuits
MATH 19 Precalculus
MATH 30 Calculus I
MATH 31 Calculus II
MATH 32 Calculus III
MATH 3 Numbers and Society
MATH 39 Linear Algebra I
MATH 129 Linear Algebra II
MATH 161A Applied Probability and Statistics
MATH 146 Number Theory
ENGL 1A First Year Actor
ENGL 1B Argument and Analysis
ENGL 22 Shakespeare's Tragedies
ENGL 71 Creative Actor
PHYS 50 Mechanics
PHYS 51 Electricity and Magnetism
PHYS 52 Heat and Light
PHYS 110 Quantum Physics
CHEM 1A General Chemistry
CHEM 112A Organic Chemistry
CHEM 112B Organic Chemistry Laboratory
BIOL 30 Principles of Biology
BIOL 65 Human Anatomy
BIOL 101 Marine Biology
BIOL 118 Microbiology
HIST 15 The Modern World
HIST 20 Ancient Rome
HIST 99 The Fall of the Roman Empire
ARTH 70 Art History
ART 12 Drawing
ART 13 Figure Drawing and Anatomy
ART 24 Design Concepts
PSYC 1 Introduction to Psychology
PSYC 102 Abnormal Psychology
SOCI 1 Introduction to Sociology
PHIL 10 Introduction to Philosophy
PHIL 61 Moral Issues
PHIL 57 Logic and Critical Reasoning
ECON 1A Principles of Macroeconomics
ECON 1B Principles of Microeconomics
BUS 20 Financial Accounting
BUS 90 Business Statistics
BUS 140 Marketing Management
MUSC 10 Music Appreciation
MUSC 120 Jazz Improvisation
ANTH 11 Cultural Anthropology
GEOL 9 Earthquakes and Volcanoes
ASTR 10 Descriptive Astronomy
ENGR 10 Introduction to Engineering
EE 98 Circuit Analysis
ME 101 Dynamics
ME 113 Thermodynamics
NURS 12 Women's Health
KIN 35 Yoga
POLS 15 Essentials of American Government
SPAN 1A Español elemental
SPAN 102 Composición avanzada
FREN 1A Français élémentaire
FREN 110 Littérature française
GERM 1A Deutsch für Anfänger
GERM 120 Einführung in die Sprachwissenschaft
PORT 20 Introdução à Literatura
POL 12 Język polski
VIET 1A Tiếng Việt cơ bản
TURK 1A Türkçe Giriş
SWED 1 Svenska för nybörjare
RUSS 1A Русский язык
RUSS 20 Высшая математика
GREK 1A Ελληνική Φιλοσοφία
ARAB 1A اللغة العربية
HEBR 1A עברית למתחילים
HIND 1A हिन्दी साहित्य
JPN 1A 日本語入門
JPN 129 線形代数
CHIN 30 微积分
KOR 1A 한국어 초급
`;

const fields: Readonly<Record<string, string>> = {
  AAS: 'Migration, Diaspora, Identity, Memory, Community',
  AE: 'Aerodynamics, Propulsion, Flight Control, Orbital Motion, Composites',
  BIOL: 'Botany, Zoology, Genetics, Immunology, Ecology, Evolution',
  BUS: 'Auditing, Taxation, Leadership, Negotiation, Logistics, Entrepreneurship',
  CE: 'Concrete, Hydrology, Surveying, Geotechnics, Transportation',
  CHEM: 'Spectroscopy, Polymers, Electrochemistry, Kinetics, Crystallography',
  COMM: 'Rhetoric, Debate, Interviewing, Persuasion, Listening',
  CS: 'Cryptography, Networks, Robotics, Visualization, Graphics, Compression',
  DANC: 'Ballet, Choreography, Tap, Movement, Improvised Dance',
  ECON: 'Trade, Labor, Inflation, Game Theory, Development, Auctions',
  EE: 'Antennas, Signals, Semiconductors, Photonics, Power Grids',
  ENGL: 'Poetry, Novels, Satire, Grammar, Editing, Mythology',
  FILM: 'Documentary, Screenwriting, Animation, Cinematography, Editing Rooms',
  GEOG: 'Cartography, Climate, Cities, Rivers, Remote Sensing',
  HIST: 'Revolutions, Railways, Medicine, Slavery, Colonialism, Renaissance',
  JOUR: 'Reporting, Photography, Broadcasting, Podcasts, Press Law',
  KIN: 'Swimming, Badminton, Biomechanics, Nutrition, Weight Training',
  LING: 'Phonetics, Syntax, Semantics, Bilingualism, Dialects',
  MATH: 'Topology, Combinatorics, Geometry, Optimization, Fractals',
  ME: 'Vibrations, Manufacturing, Heat Transfer, Mechatronics, Materials',
  METR: 'Storms, Clouds, Forecasting, Radar, Air Pollution',
  MUSC: 'Harmony, Counterpoint, Orchestration, Choir, Percussion',
  NURS: 'Pediatrics, Pharmacology, Gerontology, Emergency Care, Midwifery',
  PHIL: 'Ethics, Metaphysics, Aesthetics, Epistemology, Existentialism',
  PHYS: 'Optics, Relativity, Acoustics, Plasma, Solid State',
  POLS: 'Elections, Diplomacy, Constitutions, Lobbying, Human Rights',
  PSYC: 'Perception, Motivation, Sleep, Addiction, Personality',
  RELS: 'Buddhism, Judaism, Islam, Christianity, Rituals',
  SOCI: 'Gender, Poverty, Deviance, Families, Surveys',
  THEA: 'Acting, Directing, Costumes, Stagecraft, Playwriting',
};

const patterns = [
  '*',
  'Introduction to *',
  'Foundations of *',
  'Intermediate *',
  'Advanced *',
  'Topics in *',
  'Seminar in *',
  '* Laboratory',
  '* in Practice',
  'Research Methods for *',
  '* and Society',
  'Computational *',
];

function courses(): Course[] {
  const known = landmarks
    .trim()
    .split('\n')
    .map((line) => {
      const [, subject = '', number = '', title = ''] = /^(\S+) (\S+) (.+)$/.exec(line) ?? [];
      return { subject, number, title };
    });
  const others = Object.entries(fields).flatMap(([subject, list]) =>
    list.split(', ').flatMap((topic, i) =>
      patterns.map((pattern, j) => ({
        subject,
        number: String(300 + i * 20 + j),
        title: pattern.replace('*', topic),
      })),
    ),
  );
  return [...known, ...others];
}

const meetings: Weekday[][] = [
  ['Monday', 'Wednesday'],
  ['Tuesday', 'Thursday'],
  ['Monday', 'Wednesday', 'Friday'],
  ['Friday'],
  ['Tuesday'],
  ['Thursday'],
  ['Saturday'],
];

/** A class of which there is one: its name has a word that no other has. */
function specialTitle(random: Random): string {
  const syllables = [
    'ba',
    'cor',
    'del',
    'fen',
    'gri',
    'lum',
    'mo',
    'nar',
    'pel',
    'qui',
    'ros',
    'tav',
  ];
  const length = random.int(3, 5);
  const word = Array.from({ length }, () => random.pick(syllables)).join('');
  return `Special Session ${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** @param count how many; the first are of the landmarks, and every tenth or so is like no other */
export function catalogue(count: number): Class[] {
  const random = createRandom(20_261_121);
  const all = courses();
  const sectionsOf = new Map<Course, number>();
  return Array.from({ length: count }, (_, n) => {
    const course = all[n % all.length] as Course;
    const section = (sectionsOf.get(course) ?? 0) + 1;
    sectionsOf.set(course, section);
    const special = Number(course.number) >= 300 && n % 10 === 0;
    const hour = random.int(8, 18);
    return {
      classId: `class${String(n).padStart(11, '0')}`,
      name: null,
      courseName: special ? specialTitle(random) : course.title,
      subjectAbbreviation: random.chance(0.25) ? course.subject.toLowerCase() : course.subject,
      courseNumber: course.number,
      sectionNumber: String(section).padStart(2, '0'),
      semesterSeason: random.pick(semesterSeasons),
      classSchedule: random.chance(0.02) ? [weekdays[6]] : random.pick(meetings),
      beginClassTime: `${String(hour).padStart(2, '0')}:00`,
      endClassTime: `${String(hour + 1).padStart(2, '0')}:15`,
      memberCount: random.int(1, 400),
      ended: false,
    };
  });
}
