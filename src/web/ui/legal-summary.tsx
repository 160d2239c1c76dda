import { language } from '#web/get-text.ts';

/** Says in short, in the reader's language, what a text beside it says in English until its translation is reviewed. */
export function LegalSummary({ text }: { text: string }) {
  return language !== 'en' && <p className="meta">{text}</p>;
}
