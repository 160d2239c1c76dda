interface Coded {
  subjectAbbreviation: string | null;
  courseNumber: string | null;
}

/** Whether two classes are of one course: `cs 046` is `CS 46`. */
export function isSameCode(a: Coded, b: Coded): boolean {
  return (
    plain(a.subjectAbbreviation) === plain(b.subjectAbbreviation) &&
    plain(a.courseNumber) === plain(b.courseNumber)
  );
}

function plain(code: string | null): string {
  return (code ?? '')
    .normalize('NFKC')
    .replaceAll(/[\s.-]+/g, '')
    .replace(/^0+(?=.)/, '')
    .toUpperCase();
}
