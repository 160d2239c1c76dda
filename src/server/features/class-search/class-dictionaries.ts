// What classes can be found by: the words of their fields, their codes without spaces, and the times at which they begin.
import type { Class } from '#contract/entities.ts';
import { toTerms } from '#server/base/tokenizer.ts';
import { visitTerms } from './class-terms.ts';
import { createTermDictionary } from './term-dictionary.ts';

export class ClassDictionaries {
  /** The number of classes. */
  size = 0;
  readonly words = createTermDictionary();
  /** Subjects ('cs') and courses ('cs 146a'). */
  readonly codes = createTermDictionary();
  /** Times in the form '09:30'. */
  readonly times = createTermDictionary();

  add(indexedClass: Class, doc: number): void {
    this.size += 1;
    visitTerms(indexedClass, (term, place) => this.words.add(term, doc, place));
    for (const code of listCodes(indexedClass)) this.codes.add(code, doc, 0);
    const time = indexedClass.beginClassTime;
    if (time !== null) this.times.add(time, doc, 0);
  }

  remove(indexedClass: Class, doc: number): void {
    this.size -= 1;
    visitTerms(indexedClass, (term) => this.words.remove(term, doc));
    for (const code of listCodes(indexedClass)) this.codes.remove(code, doc);
    const time = indexedClass.beginClassTime;
    if (time !== null) this.times.remove(time, doc);
  }
}

function listCodes({ subjectAbbreviation, courseNumber }: Class): string[] {
  const subject = toTerms(subjectAbbreviation ?? '').join('');
  if (subject === '') return [];
  return [subject, `${subject} ${toTerms(courseNumber ?? '').join('')}`];
}
