import { type FormHTMLAttributes, type SubmitEvent, useRef, useState } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { useWrongFieldFocus } from './use-wrong-field-focus.ts';

type Problems<Fields> = Partial<Record<keyof Fields, string | null | undefined>>;
type TextName<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends string ? Name : never;
}[keyof Fields];

interface Options<Fields> {
  /** What the fields have at first. */
  fields: Fields | (() => Fields);
  /** Makes the call. While it is pending, the form cannot be sent again. */
  command?: { isPending: boolean; error: Error | null; reset: () => void };
  /** Says what is wrong. A rejected attempt shows it until it is corrected. */
  findProblems?: (fields: Fields) => Problems<Fields>;
  /** The field that an error of the server is about. By default, it is about none. */
  findWrongField?: (error: Error) => keyof Fields | null;
  /** Keeps what was typed for when the form opens again. */
  onChange?: (fields: Fields) => void;
  /** Sends fields without problems. */
  onSubmit: (fields: Fields) => void;
}

/** The state of a form: its fields, what is wrong with them, and whether it is being sent. What was typed stays. */
export function useForm<Fields extends object>(options: Options<Fields>) {
  const { command, findProblems, findWrongField } = options;
  const ref = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(options.fields);
  const [isRejected, setIsRejected] = useState(false);
  const isPending = command?.isPending ?? false;
  const focusWrongField = useWrongFieldFocus(ref, isPending);
  const error = command?.error ?? null;
  const wrongField = error && (findWrongField?.(error) ?? null);
  const problems: Problems<Fields> = isRejected && findProblems ? findProblems(fields) : {};
  if (error && wrongField !== null) problems[wrongField] = toErrorMessage(error);

  const change = (part: Partial<Fields>) => {
    // What is sent would not have it, and most forms are gone with the reply.
    if (isPending) return;
    const newFields = { ...fields, ...part };
    setFields(newFields);
    options.onChange?.(newFields);
    if (error) command?.reset();
  };
  return {
    fields,
    /** Sets fields, unless they are being sent, and hides what the server said about the earlier ones. */
    change,
    problems,
    /** What is wrong with no single field. */
    error: error && wrongField === null ? toErrorMessage(error) : null,
    isPending,
    /** The props of a text field or a choice. */
    bind: <Name extends TextName<Fields>>(name: Name) => ({
      value: fields[name] as Fields[Name] & string,
      problem: problems[name],
      onChange: ({ target }: { target: { value: string } }) =>
        change({ [name]: target.value } as Partial<Fields>),
    }),
    ref,
    submit(event: SubmitEvent) {
      event.preventDefault();
      if (isPending) return;
      const hasProblem = Object.values(findProblems?.(fields) ?? {}).some(Boolean);
      setIsRejected(hasProblem);
      focusWrongField();
      if (hasProblem) return;
      if (error) command?.reset();
      options.onSubmit(fields);
    },
  };
}

/** What the element of a form and its dialog need of `useForm`. */
export type FormState = Pick<
  ReturnType<typeof useForm<object>>,
  'error' | 'isPending' | 'ref' | 'submit'
>;

interface Props extends Omit<FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> {
  form: FormState;
}

export function Form({ form: { ref, submit }, ...attributes }: Props) {
  return <form {...attributes} ref={ref} onSubmit={submit} noValidate />;
}
