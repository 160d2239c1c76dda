import { type ReactNode, type SubmitEvent, useId, useRef, useState } from 'react';
import {
  formatDomainChoice,
  findAddressError,
  isUniversityEmail,
  parseTypedEmail,
} from '#contract/email-address.ts';
import { getText, language } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { changeSetting, useSettings } from '#web/data/settings.ts';
import { site } from '#web/site.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './auth-page.module.css';

type Field = 'email' | 'password';

/** The state of the form with which a visitor signs in or signs up. */
export function useCredentials(initialInfo: string | null = null) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [info, setInfo] = useState<string | null>(initialInfo);
  const [wrongField, setWrongField] = useState<Field | null>(null);
  const emailRef = useRef<HTMLInputElement>(null);
  const passwordRef = useRef<HTMLInputElement>(null);
  const messagesRef = useRef<HTMLDivElement>(null);

  /** Shows the message in a low window too, where the focused field or the pressed button may be far from it. */
  const scrollToMessages = () => messagesRef.current?.scrollIntoView({ block: 'nearest' });
  const reject = (message: string, field: Field) => {
    setError(message);
    setWrongField(field);
    (field === 'email' ? emailRef : passwordRef).current?.focus();
    scrollToMessages();
  };
  return {
    email: parseTypedEmail(email),
    password,
    setInfo,
    reject,
    /** Shows an error of the server. */
    showError(failure: unknown) {
      const isPassword = failure instanceof RejectedError && failure.code.startsWith('PASSWORD_');
      if (isPassword) reject(failure.message, 'password');
      else {
        setError(toErrorMessage(failure));
        scrollToMessages();
      }
    },
    /** Removes the messages of the last attempt. */
    clearMessages() {
      setError(null);
      setInfo(null);
      setWrongField(null);
    },
    emailRef,
    passwordRef,
    messagesRef,
    inputs: { email, setEmail, setPassword, error, info, wrongField },
  };
}

/** Validates the address of a new account. Returns an error message or null. */
export function findNewEmailError(email: string): string | null {
  if (!email) return 'Please enter your email.';
  const error = findAddressError(email, site.emailDomains);
  if (error === 'WRONG_EMAIL_DOMAIN') return wordWrongDomain();
  return error && getText('error.EMAIL_CHARACTERS');
}

/** Validates the address of an account that exists. Returns an error message or null. */
export function findEmailError(email: string, missing = 'Please enter your email.'): string | null {
  if (!email) return missing;
  return isUniversityEmail(email, site.emailDomains) ? null : wordWrongDomain();
}

function wordWrongDomain(): string {
  const addresses = formatDomainChoice(site.emailDomains, language);
  return getText('error.WRONG_EMAIL_DOMAIN', { addresses });
}

/** Switches off what a browser keeps of a member. The setting is that of the profile page. */
export function SharedComputerChoice() {
  const { keepMessages } = useSettings();
  return (
    <CheckBox
      className="muted"
      checked={keepMessages === 'off'}
      onChange={(isChecked) => changeSetting('keepMessages', isChecked ? 'off' : 'on')}
    >
      This is a shared computer
    </CheckBox>
  );
}

interface Props {
  credentials: ReturnType<typeof useCredentials>;
  passwordKind: 'current' | 'new';
  isBusy: boolean;
  submitLabel: string;
  onSubmit: () => void;
  /** Shown between the fields and the submit button. */
  children?: ReactNode;
}

export function CredentialsForm(props: Props) {
  const { credentials, passwordKind, isBusy, submitLabel, onSubmit, children } = props;
  const messagesId = useId();
  const { emailRef, passwordRef, messagesRef } = credentials;
  const { email, setEmail, setPassword, error, info, wrongField } = credentials.inputs;
  const passwordProblem = passwordKind === 'new' && wrongField === 'password' ? error : null;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    credentials.clearMessages();
    onSubmit();
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <TextField
        ref={emailRef}
        label={`Email (must end with ${formatDomainChoice(site.emailDomains)})`}
        type="email"
        name="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        problemId={wrongField === 'email' ? messagesId : undefined}
        maxLength={limits.email}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <PasswordField
        ref={passwordRef}
        kind={passwordKind}
        problem={passwordProblem}
        problemId={wrongField === 'password' ? messagesId : undefined}
        value={credentials.password}
        onChange={({ target }) => setPassword(target.value)}
      />
      {children}
      <SharedComputerChoice />
      <Button variant="primary" wide type="submit" aria-disabled={isBusy}>
        {submitLabel}
      </Button>
      <div ref={messagesRef} id={messagesId} className={styles.messages}>
        <Callout kind="error">{passwordProblem === null ? error : null}</Callout>
        <Callout kind="info">{info}</Callout>
      </div>
    </form>
  );
}
