import { getText } from '#web/get-text.ts';
/** What staff do here, until the class has its first lecture. */
export function StaffSteps() {
  return (
    <section className="card stack-s" aria-label={getText('questions.firstSteps.label')}>
      <p>
        <strong>{getText('questions.firstSteps.title')}</strong>
      </p>
      <p>{getText('questions.firstSteps.lecture')}</p>
      <p className="meta">{getText('questions.firstSteps.chat')}</p>
    </section>
  );
}
