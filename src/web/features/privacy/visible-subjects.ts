import type { Subject } from '#contract/field-visibility.ts';
import { getTexts } from '#web/get-text.ts';

/** Each completes the sentence 'Your classmates see …'. */
export const subjectTexts: Record<Subject, string> = getTexts('legal.privacy.sees');
