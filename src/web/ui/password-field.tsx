import { type InputHTMLAttributes, type Ref, useId, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { type FieldTexts, FormField, toControlProps } from '#web/ui/form-field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import styles from './text-field.module.css';

type Omitted = 'autoComplete' | 'className' | 'id' | 'required' | 'type';

interface Props
  extends Omit<InputHTMLAttributes<HTMLInputElement>, Omitted>, Omit<FieldTexts, 'hint'> {
  /** A new password shows the rule for its length. */
  kind: 'current' | 'new';
  label?: string;
  ref?: Ref<HTMLInputElement>;
}

/** The server rejects a longer password without checking it. */
const maxCurrentLength = 1000;

export function PasswordField(props: Props) {
  const { kind, label = getText('ui.password.label'), problem, problemId, ...rest } = props;
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const rule = kind === 'new' ? getText('ui.password.rule') : undefined;
  // What is wrong takes the line of the rule, so that nothing below moves.
  const hint = problem ? undefined : rule;
  return (
    <FormField id={id} label={label} hint={hint} problem={problem}>
      <div className={styles.box}>
        <input
          name={`${kind}-password`}
          maxLength={kind === 'current' ? maxCurrentLength : undefined}
          {...toControlProps(id, { hint, problem, problemId })}
          {...rest}
          type={isShown ? 'text' : 'password'}
          className={`${styles.input} ${styles.withReveal}`}
          autoComplete={`${kind}-password`}
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <button
          type="button"
          className={styles.reveal}
          aria-label={isShown ? getText('ui.password.hide') : getText('ui.password.show')}
          onClick={() => setIsShown(!isShown)}
        >
          <Icon name={isShown ? 'eyeOff' : 'eye'} />
        </button>
      </div>
    </FormField>
  );
}
