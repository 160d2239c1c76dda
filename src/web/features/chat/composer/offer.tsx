import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import type { useComposer } from './use-composer.ts';
import styles from './composer.module.css';

type OfferProps = Pick<
  ReturnType<typeof useComposer>,
  'question' | 'pastedCode' | 'send' | 'focus'
>;

/** Asks about a personal detail in the draft, or offers to format pasted code. */
export function Offer(props: OfferProps) {
  const { question, pastedCode, send, focus } = props;
  return (
    <div role="status" className={styles.ask}>
      {question.warning ? (
        <>
          <span>{getText('chat.personal.confirm', { warning: question.warning })}</span>
          <Button variant="plain" onClick={send}>
            {getText('chat.composer.send')}
          </Button>
          <Button
            variant="plain"
            onClick={() => {
              question.close();
              focus();
            }}
          >
            {getText('common.edit')}
          </Button>
        </>
      ) : (
        pastedCode.isOffered && (
          <Button variant="plain" onClick={pastedCode.format}>
            {getText('chat.composer.formatAsCode')}
          </Button>
        )
      )}
    </div>
  );
}
