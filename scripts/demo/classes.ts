import type { ClassFields, Weekday } from '#contract/class-fields.ts';
import { university } from '#tests/support/university.ts';
import { namesByScript } from '#tests/support/university/names.ts';
import type { PictureName } from './pictures.ts';

/** A text, pictures with their descriptions and a text, or a question. In a text, `@@` mentions another member. */
export type DemoMessage =
  | string
  | DemoReturn
  | { files: readonly DemoFile[]; text: string }
  | DemoQuestion;

/** A text by the author of an earlier message, who returns to it. */
export interface DemoReturn {
  turnsAgo: number;
  text: string;
}

export interface DemoQuestion {
  question: string;
  /** Replies of others. */
  replies: readonly string[];
  /** Whether the person who asked marks the first reply as the answer. */
  isAnswered?: true;
}

export interface DemoFile {
  file: PictureName | 'sheet';
  alt: string;
}

/** A class of the demo and its messages in order. */
export interface DemoClass {
  fields: ClassFields;
  messages: readonly DemoMessage[];
}

/** Persona names of the demo's students. Some students keep 'Anonymous' instead. */
export const demoNames = [
  ...['Quiet Heron', 'Second Row', 'null pointer', 'Kestrel', 'Late Again', 'Marginalia'],
  ...['Búho', 'Off By One', 'Pencil', 'Night Library', 'Juniper', 'Half Past'],
  ...Object.values(namesByScript).map((names) => names[0]!),
];

const monWed: Weekday[] = ['Monday', 'Wednesday'];
const tueThu: Weekday[] = ['Tuesday', 'Thursday'];
const monWedFri: Weekday[] = ['Monday', 'Wednesday', 'Friday'];

function fall(
  subjectAbbreviation: string,
  courseNumber: string,
  sectionNumber: string,
  courseName: string,
  classSchedule: Weekday[],
  beginClassTime: string,
  endClassTime: string,
): ClassFields {
  return {
    courseName,
    subjectAbbreviation,
    courseNumber,
    sectionNumber,
    semesterSeason: 'Fall',
    classSchedule,
    beginClassTime,
    endClassTime,
  };
}

export const demoClasses: readonly DemoClass[] = [
  {
    fields: fall('CS', '146', '02', 'Data Structures and Algorithms', monWed, '09:00', '10:15'),
    messages: [
      'Does anybody else get a stack overflow on test 7 of the AVL assignment?',
      'yes, if you insert sorted input before the rotations work it degenerates into a list and the recursive delete blows up',
      'Check the double rotation. Mine had left-right and right-left swapped, everything else passed 🙃',
      { turnsAgo: 3, text: 'That was it. Thank you!!' },
      {
        files: [
          {
            file: 'whiteboard',
            alt: 'A red-black tree with the root 13 on a whiteboard, after inserting 22',
          },
        ],
        text: 'From office hours, for whoever missed it',
      },
      '@@ this is the rotation that works for me:\n```java\nNode rotateLeft(Node x) {\n  Node y = x.right;\n  x.right = y.left;\n  y.left = x;\n  return y;\n}\n```',
      {
        question: 'Is the midterm open notes?',
        replies: ['One handwritten page, both sides. It is on the second slide of last week'],
        isAnswered: true,
      },
      {
        question: 'do we need the amortized proof for union-find or only the result?',
        replies: ['Only the result, she said it twice'],
        isAnswered: true,
      },
      { question: 'Which chapters does the quiz on Friday cover?', replies: [] },
      'I made a small visualizer for red-black trees, would it help if I put it online?',
      'please do',
      'YES',
      'The best thing I found on hash table probing so far: https://en.wikipedia.org/wiki/Open_addressing',
      'Study group in the library, third floor, Thursday at six. We sit by the window, bring the problem set',
      'I can only come at half past, save me a chair',
      {
        question:
          'What does the professor mean by "stable" in problem 3?\nThat equal keys keep their order?',
        replies: ['Exactly. Merge sort is, quicksort as written on the slides is not'],
        isAnswered: true,
      },
    ],
  },
  {
    fields: fall('MATH', '32', '01', 'Calculus III', monWedFri, '10:30', '11:20'),
    messages: [
      'How do you see which order of integration is easier? I always pick the wrong one',
      'Draw the region first. If one boundary is a mess as y(x), look at it as x(y)',
      {
        files: [{ file: 'region', alt: 'The region between a parabola and a root' }],
        text: 'Like this?',
      },
      {
        question: 'The homework server says 11:59 but the syllabus says 11:00, which one holds?',
        replies: ['He answered that by mail: 11:59'],
        isAnswered: true,
      },
      'Lagrange multipliers finally clicked: $\\nabla f = \\lambda \\nabla g$, the gradients have to be **parallel**, that is all',
      { files: [{ file: 'sheet', alt: 'Problem sheet 5' }], text: '@@ the new sheet is out' },
      {
        files: [
          { file: 'region', alt: 'The region of problem 1' },
          { file: 'whiteboard', alt: 'A whiteboard of another class' },
        ],
        text: 'My evening:\n1. problem 1\n2. lost',
      },
      'Anybody want to trade section 01 for section 03?',
      'I have an old exam from two years ago with solutions, scanning it tonight',
      'You are a saint',
    ],
  },
  {
    fields: fall('ENGL', '1B', '11', 'Argument and Analysis', tueThu, '12:00', '13:15'),
    messages: [
      'Peer review is due before class, not after. Learned that the hard way',
      'Can a counterargument be its own paragraph or does it have to be inside the thesis section?',
      'Own paragraph is fine, she likes it when you concede something real first',
      'mine came back with "so what?" in the margin four times',
      'Same. I think that is her whole grading scheme',
    ],
  },
  {
    fields: fall('PHYS', '50', '04', 'Mechanics', monWed, '13:30', '14:45'),
    messages: [
      {
        question: 'Lab 4: is the uncertainty of the photogate 1 ms or 0.1 ms?',
        replies: ['0.1, it stands on the sticker below the gate', 'I wrote 1 and got full points'],
      },
      'I get g = 9.3 every single time, what am I doing wrong',
      'Friction in the pulley. Write it down as systematic error and move on, that is the point of the lab',
      'can someone explain why the normal force does no work, but explain it like I am five',
      'You push a box against the floor. The floor pushes back up. The box goes sideways. Nobody moved anything up or down, so nobody did work up or down.',
      { turnsAgo: 2, text: 'ok that is actually perfect' },
    ],
  },
  {
    fields: fall('CS', '151', '01', 'Object-Oriented Design', tueThu, '16:30', '17:45'),
    messages: [
      'Our team lost a member, is anybody looking for a group?',
      'Me! I can do the persistence part',
      { turnsAgo: 2, text: 'Great, see you after class at the front' },
      'Is a singleton ever the answer in this course',
      'Only if the question is what not to do',
    ],
  },
  {
    fields: fall('SPAN', '1A', '01', 'Español elemental', monWedFri, '12:30', '13:20'),
    messages: ['¿Alguien quiere practicar antes del examen oral?', 'Sí, el jueves a las tres'],
  },
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => ({
    fields: university.createClassFields(n),
    messages: Array.from({ length: 25 }, (_, i) => university.createMessageText(n * 25 + i)),
  })),
];
