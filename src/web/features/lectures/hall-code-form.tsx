import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { Button } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './hall-code-form.module.css';

const notDigits = /\D/g;

/** Asks for the digits of a lecture, on the computer of the hall, where no one is signed in. */
export function HallCodeForm() {
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [hallCode, setHallCode] = useState('');
  const exchanging = useCommand('exchangeHallCode', {
    onSuccess: ({ presenterToken }) => void navigate({ hash: presenterToken }, { replace: true }),
  });
  useTitle(getText('lectures.code.tab'));
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <main className={styles.page} id="main">
      <form
        ref={form}
        className={`stack start ${styles.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!exchanging.isPending) exchanging.mutate({ body: { hallCode } });
        }}
      >
        <Logo url={useLogoUrl()} height={40} />
        <h1>{getText('lectures.code.title')}</h1>
        <TextField
          label={getText('lectures.code.label')}
          hint={getText('lectures.code.hint')}
          value={hallCode}
          onChange={(event) => {
            exchanging.reset();
            setHallCode(event.target.value.replace(notDigits, '').slice(0, limits.hallCodeDigits));
          }}
          problem={exchanging.error && describeProblem(exchanging.error)}
          inputMode="numeric"
          autoComplete="off"
          required
          pattern={`\\d{${limits.hallCodeDigits}}`}
          title={getText('lectures.code.digits')}
        />
        <Button type="submit" variant="primary" wide aria-disabled={exchanging.isPending}>
          {getText('lectures.code.show')}
        </Button>
      </form>
    </main>
  );
}

function describeProblem(error: Error): string {
  return error instanceof RejectedError && error.code === 'NOT_FOUND'
    ? getText('lectures.code.invalid')
    : toErrorMessage(error);
}
