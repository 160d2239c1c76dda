// A college's course catalog, written by hand in the style of real ones. The queries of `student-queries.ts`
// search it.
import type { Weekday } from '#contract/class-fields.ts';
import type { Class } from '#contract/entities.ts';
import { createRandom } from '#tests/support/random.ts';

/** Code and title, and days and begin where a query names them. */
const courses = `
ACCT 101 Financial Accounting
ACCT 102 Managerial Accounting
ACCT 121 Intermediate Accounting I
ACCT 122 Intermediate Accounting II
ACCT 140 Federal Income Taxation of Individuals
ACCT 151 Auditing
ACCT 160 Accounting Information Systems
AFAM 2 Introduction to African American Studies
AFAM 40 Black Women Writers
AFAM 158 The Civil Rights Movement
AMST 10 American Identities
AMST 129 American Popular Culture
ANTH 1 Introduction to Biological Anthropology
ANTH 2 Introduction to Archaeology
ANTH 3 Introduction to Cultural Anthropology
ANTH 115 Emerging Global Cultures
ANTH 140 Human Sexuality
ANTH 155 Human Osteology
ARAB 1 Elementary Arabic I
ARAB 2 Elementary Arabic II
ART 12 Two-Dimensional Concepts
ART 13 Three-Dimensional Concepts
ART 24 Beginning Drawing
ART 46 Introduction to Ceramics
ART 61 Beginning Painting | Monday 18:00
ART 62 Intermediate Painting | Tuesday,Thursday 09:00
ART 68 Beginning Sculpture
ART 74 Introduction to Digital Media
ART 100 Beginning Photography
ARTH 70A Art History: Prehistoric to Medieval
ARTH 70B Art History: Renaissance to Modern
ARTH 72 Design in Society
ARTH 160 Italian Renaissance Art
ARTH 189 Islamic Art and Architecture
ASL 1A American Sign Language I
ASL 1B American Sign Language II
ASTR 10 Descriptive Astronomy
ASTR 101 Modern Astrophysics
ASTR 155 Cosmology
AVIA 2 Introduction to Aviation
AVIA 42 Aircraft Systems
BIOL 10 The Living World
BIOL 21 Human Biology
BIOL 30 Principles of Biology I
BIOL 31 Principles of Biology II
BIOL 54 Introductory Human Anatomy
BIOL 55 Introductory Human Physiology
BIOL 65 Human Anatomy and Physiology
BIOL 101 Marine Ecology
BIOL 110 Vertebrate Zoology
BIOL 115 Genetics
BIOL 118 Evolution
BIOL 123 General Microbiology
BIOL 129 Cell Biology
BIOL 135 Developmental Biology
BIOL 140 Immunology
BIOL 160 Ecology
BIOL 178 Bioinformatics
BME 15 Introduction to Biomedical Engineering
BME 115 Foundations of Biomaterials
BME 177 Biomedical Imaging
BUS 10 Introduction to Business
BUS 80 Legal Environment of Business
BUS 90 Business Statistics
BUS 100 Professional Business Writing
BUS 118 Supply Chain Management
BUS 130 Principles of Marketing
BUS 131 Consumer Behavior
BUS 134 Digital Marketing
BUS 140 Operations Management
BUS 150 Human Resource Management
BUS 160 Organizational Behavior
BUS 170 Fundamentals of Finance
BUS 172 Investment Analysis
BUS 181 Entrepreneurship
BUS 186 Business Ethics
BUS 188 International Business
BUS 189 Strategic Management
CE 8 Plane Surveying
CE 95 Statics
CE 112 Mechanics of Materials
CE 140 Soil Mechanics
CE 150 Water Resources Engineering
CE 160 Structural Analysis
CHAD 60 Child Development
CHAD 106 Infant and Toddler Care
CHAD 164 Children's Play
CHEM 1A General Chemistry I
CHEM 1B General Chemistry II
CHEM 8 Introductory Organic Chemistry
CHEM 30A Chemistry for the Health Sciences
CHEM 55 Quantitative Analysis
CHEM 112A Organic Chemistry I
CHEM 112B Organic Chemistry II
CHEM 113A Organic Chemistry Laboratory
CHEM 135 Biochemistry
CHEM 145 Inorganic Chemistry
CHEM 155 Instrumental Analysis
CHEM 161A Physical Chemistry I
CHIN 1A Elementary Chinese I
CHIN 1B Elementary Chinese II
CHIN 20 Chinese Calligraphy
CLAS 10 Greek and Roman Mythology
CLAS 60 Ancient Epic
COMM 20 Public Speaking
COMM 21 Interpersonal Communication
COMM 41 Critical Thinking and Argumentation
COMM 74 Intercultural Communication
COMM 110 Small Group Communication
COMM 149 Rhetoric and Public Life
C S 22 Python Programming for Everyone
C S 46A Introduction to Programming
C S 46B Introduction to Data Structures
C S 47 Introduction to Computer Systems
C S 49J Programming in Java
C S 49C Programming in C
C S 146 Data Structures and Algorithms
C S 147 Computer Architecture
C S 149 Operating Systems
C S 151 Object-Oriented Design
C S 152 Programming Paradigms
C S 153 Concepts of Compiler Design
C S 154 Formal Languages and Computability
C S 155 Design and Analysis of Algorithms
C S 156 Artificial Intelligence
C S 157A Database Systems
C S 158A Computer Networks
C S 160 Software Engineering
C S 166 Information Security
C S 171 Machine Learning
C S 174 Server-Side Web Programming
C S 175 Mobile Application Development
C S 180 Natural Language Processing
C S 185 Human-Computer Interaction
C S 190 Computer Graphics
DANC 10 Dance Appreciation
DANC 42A Beginning Ballet
DANC 43 Hip Hop Dance
DANC 48 Modern Dance
DSCI 8 Foundations of Data Science
DSCI 100 Data Visualization
DSCI 140 Big Data Systems
ECON 1 Principles of Microeconomics
ECON 2 Principles of Macroeconomics
ECON 3 Economic Statistics
ECON 101 Intermediate Microeconomic Theory
ECON 102 Intermediate Macroeconomic Theory
ECON 103 Introduction to Econometrics
ECON 111 Economics of Globalization
ECON 132 Game Theory
ECON 138 Labor Economics
ECON 165 Environmental Economics
EDUC 70 Foundations of Education
EDUC 105 Educational Psychology
EDUC 157 Bilingual Education
E E 97 Introductory Electrical Engineering Laboratory
E E 98 Introduction to Circuit Analysis
E E 110 Network Analysis
E E 112 Linear Systems
E E 118 Digital Logic Circuit Design
E E 122 Electronic Design I
E E 140 Electromagnetic Fields
E E 161 Digital Communication Systems
ENGL 1A First-Year Writing
ENGL 1B Argument and Analysis
ENGL 10 Great Works of Literature
ENGL 20 Explorations in American Literature
ENGL 22 Fantasy and Science Fiction
ENGL 56A English Literature to 1800
ENGL 71 Introduction to Creative Writing
ENGL 100W Writing Workshop
ENGL 103 Modern English Grammar
ENGL 130 Fiction Writing
ENGL 133 Poetry Writing
ENGL 145 Shakespeare and Performance
ENGL 165 Ethnic Literatures of the U.S.
ENGR 10 Introduction to Engineering
ENGR 100W Engineering Reports
ENGR 195A Senior Design Project I
ENVS 1 Introduction to Environmental Issues
ENVS 107 Environmental Data Analysis
ENVS 117 Human Ecology
ENVS 119 Energy and the Environment
ENVS 128 Water Resource Management
ETHN 14 Introduction to Chicana and Chicano Studies
ETHN 33 Asian Americans in U.S. History
ETHN 55 Native American Studies
FILM 5 Film Aesthetics
FILM 20 History of World Cinema
FILM 82 Introduction to Screenwriting
FILM 112 Documentary Production
FREN 1A Elementary French I
FREN 1B Elementary French II
FREN 101 Advanced French Composition
GEOG 1 Introduction to Physical Geography
GEOG 10 Cultural Geography
GEOG 170 Geographic Information Systems
GEOL 1 General Geology
GEOL 3 Planet Earth
GEOL 7 Earth, Time and Life
GEOL 107 Prehistoric Life
GERM 1A Elementary German I
GERM 1B Elementary German II
GLST 1 Introduction to Global Studies
HIST 1A World History to 1500
HIST 1B World History from 1500
HIST 10A Western Civilization
HIST 15 Essentials of U.S. History
HIST 17A United States History to 1877
HIST 17B United States History from 1865
HIST 50 History of the Middle East
HIST 102 The Roman Empire
HIST 110 Medieval Europe
HIST 124 Modern Germany and the Holocaust
HIST 153 History of Women in Europe
HIST 170 The American Revolution
HIST 177 The Vietnam War
HIST 188 History of California
HSPM 1 Introduction to Hospitality and Tourism
HSPM 65 Food and Beverage Management
HSCI 1 Understanding Your Health
HSCI 67 Introduction to Public Health
HSCI 104 Community Health Promotion
HSCI 164 Health Policy
HSCI 167 Biostatistics
HUM 1A Humanities Honors I
HUM 10 World of Ideas
ISE 115 Computer Integrated Manufacturing
ISE 130 Engineering Probability and Statistics
ISE 140 Operations Planning and Control
ITAL 1A Elementary Italian I
JPN 1A Elementary Japanese I
JPN 1B Elementary Japanese II
JPN 110 Japanese Culture through Anime
JOUR 61 Writing for Print and Online Media
JOUR 132 Investigative Reporting
JS 10 Introduction to Justice Studies
JS 12 Introduction to Legal Studies
JS 102 Police and Society
JS 103 Courts and Society
JS 161 Forensic Science and Criminal Investigation
KIN 2A Beginning Swimming
KIN 19 Beginning Tennis
KIN 35A Beginning Weight Training
KIN 37 Fitness Walking
KIN 49 Beginning Yoga
KIN 70 Introduction to Kinesiology
KIN 155 Exercise Physiology
KIN 158 Biomechanics
KIN 165 Motor Learning
KOR 1A Elementary Korean I
LATN 1A Elementary Latin
LING 20 Nature of Language
LING 101 Introduction to Linguistics
LING 111 Linguistic Phonetics
LING 112 Introduction to Syntax
LING 161 Psycholinguistics
MATH 8 College Algebra
MATH 10 Mathematics for General Education
MATH 12 Number Systems
MATH 19 Precalculus
MATH 2 Trigonometry
MATH 30 Calculus I
MATH 31 Calculus II
MATH 32 Calculus III
MATH 33LA Differential Equations and Linear Algebra
MATH 39 Linear Algebra I
MATH 42 Discrete Mathematics
MATH 71 Calculus for Business and Aviation
MATH 100W Technical Writing Workshop
MATH 108 Introduction to Abstract Mathematics and Proofs
MATH 112 Vector Calculus
MATH 123 Ordinary Differential Equations
MATH 126 Theory of Numbers
MATH 128A Abstract Algebra I
MATH 131A Real Analysis
MATH 138 Complex Variables
MATH 143C Numerical Analysis and Scientific Computing
MATH 161A Applied Probability and Statistics I
MATH 163 Probability Theory
MATH 175 Topology
M E 20 Design and Graphics
M E 101 Dynamics
M E 106 Fundamentals of Mechatronics
M E 111 Fluid Mechanics
M E 113 Thermodynamics
M E 114 Heat Transfer
M E 130 Applied Engineering Analysis
M E 147 Dynamic Systems Vibration and Control
M E 154 Mechanical Engineering Design
METR 10 Weather and Climate
METR 112 Global Climate Change
MATE 25 Introduction to Materials
MCOM 72 Mass Communication and Society
MCOM 105 Diversity in Media
MGMT 160 Leadership and Change
MGMT 183 International Management
MIS 101 Management Information Systems
MIS 120 Information Security Management
MUSC 1A Music Fundamentals
MUSC 3A Music Theory I
MUSC 9 Music Technology
MUSC 10A Music Appreciation
MUSC 19 World Music
MUSC 30A Beginning Piano
MUSC 35A Beginning Guitar
MUSC 50A Concert Choir
MUSC 120 History of Jazz
MUSC 166 Rock and Roll History
NURS 23 Fundamentals of Nursing
NURS 33 Health Assessment
NURS 44 Pediatric Nursing
NURS 125 Community Health Nursing
NURS 128 Pharmacology for Nurses
NUFS 1 Nutrition and Wellness
NUFS 8 Nutrition for the Health Professions
NUFS 20 Culinary Principles
NUFS 106A Human Nutrition
OCTH 10 Introduction to Occupational Therapy
OCTH 126 Gerontology and Aging
PERS 1 Elementary Persian
PHIL 10 Introduction to Philosophy
PHIL 57 Logic and Critical Reasoning
PHIL 60 Logic
PHIL 61 Moral Issues
PHIL 70A Ancient Philosophy
PHIL 104 Asian Philosophy
PHIL 110 Science, Technology and Human Values
PHIL 120 Eastern Philosophy of Mind
PHIL 134 Computers, Ethics and Society
PHIL 186 Existentialism
PH 1 Community Health Education
PHYS 1 Elementary Physics
PHYS 2A Fundamentals of Physics I
PHYS 2B Fundamentals of Physics II
PHYS 50 General Physics: Mechanics
PHYS 51 General Physics: Electricity and Magnetism
PHYS 52 General Physics: Heat and Light
PHYS 105A Analytical Mechanics
PHYS 122 Electronics for Scientists
PHYS 163 Quantum Mechanics
PHYS 168 Lasers
POLS 1 American Government
POLS 2 Introduction to Comparative Politics
POLS 3 Introduction to Political Thought
POLS 4 Introduction to International Relations
POLS 15 Essentials of U.S. and California Government
POLS 101 State Politics
POLS 120 Law and Society
POLS 140 Comparative Revolutions
POLS 150 Intelligence and Security
POLS 160 Constitutional Law
PORT 1A Elementary Portuguese I
PSYC 1 General Psychology
PSYC 30 Introductory Psychobiology
PSYC 100 Research Methods in Psychology
PSYC 102 Child Psychology
PSYC 110 Abnormal Psychology
PSYC 117 Psychological Tests and Measures
PSYC 135 Cognition
PSYC 139 Theories of Personality
PSYC 154 Social Psychology
PSYC 155 Human Learning
PSYC 158 Perception
RELS 70A Western Religions
RELS 99 Death, Dying and Religion
RELS 122 Magic, Science and Religion
RELS 145 Buddhism
RTVF 10 Art of Film
RTVF 30 Radio Production
RUSS 1A Elementary Russian I
SCWK 110 Introduction to Social Work
SCWK 130 Social Policy
SOCI 1 Introduction to Sociology
SOCI 15 Statistical Applications in the Social Sciences
SOCI 57 Community Involvement
SOCI 80 Social Problems
SOCI 101 Social Theory
SOCI 104 Quantitative Research Methods
SOCI 118 Sociology of Gender
SOCI 140 Poverty, Wealth and Privilege
SOCI 160 Marriage and Family
SOCI 170 Juvenile Delinquency
SPAN 1A Elementary Spanish I
SPAN 1B Elementary Spanish II
SPAN 20 Spanish for Heritage Speakers
SPAN 101 Spanish Composition
SPAN 140 Latin American Literature
SPED 102 Speech and Language Development
STAT 95 Elementary Statistics
STAT 115 Introduction to Regression
STAT 155 Sampling Theory
SUST 10 Introduction to Sustainability
TECH 45 Sustainable Facilities Design
TECH 60 Introduction to Electronics
TECH 145 Lean Manufacturing
THEA 5 Acting
THEA 10 Theatre Appreciation
THEA 51 Stagecraft
THEA 110 Voice Acting
THEA 150 Directing
URBP 101 The City
URBP 133 Introduction to Land Use Planning
VIET 1A Elementary Vietnamese I
WGSS 10 Introduction to Women, Gender and Sexuality Studies
WGSS 101 Feminist Theory
MATH 30P Calculus I for Life Sciences | Monday,Wednesday,Friday 08:00
STAT 95E Elementary Statistics for Evening Students | Tuesday,Thursday 18:00
KIN 49B Intermediate Yoga | Saturday 10:00
CHEM 1L General Chemistry Laboratory | Friday 13:00
ENGL 2 Critical Thinking and Writing | Monday,Wednesday 17:30
POLS 99 Model United Nations | Wednesday 19:00
HIST 99 Film and History | Thursday 18:00
PHYS 2L Physics Laboratory | Tuesday 14:00
C S 100W Technical Writing | Monday,Wednesday 09:00
C S 185C Topics in Quantum Computing | Tuesday,Thursday 16:30
`;

const meetings: Weekday[][] = [
  ['Monday', 'Wednesday'],
  ['Tuesday', 'Thursday'],
  ['Monday', 'Wednesday', 'Friday'],
  ['Tuesday', 'Thursday'],
];

/** One class for each course. */
export function createCollegeCatalog(): Class[] {
  const random = createRandom('college');
  return courses
    .trim()
    .split('\n')
    .map((line, n) => {
      const pattern = /^(.+?) (\d\w*) (.+?)(?: \| (\S+) (\S+))?$/;
      const [, subject = '', number = '', title = '', days, begin] = pattern.exec(line) ?? [];
      const hour = random.int(8, 16);
      return {
        classId: `college${String(n).padStart(9, '0')}`,
        name: null,
        courseName: title,
        subjectAbbreviation: subject,
        courseNumber: number,
        sectionNumber: '01',
        semesterSeason: 'Fall',
        classSchedule: days?.split(',') ?? random.pick(meetings),
        beginClassTime: begin ?? `${String(hour).padStart(2, '0')}:00`,
        endClassTime: null,
        memberCount: random.int(5, 120),
        ended: false,
      };
    });
}
