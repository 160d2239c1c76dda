import { act } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { NetworkError } from '#web/api.ts';
import { Button } from './button.tsx';
import { Form, useForm } from './form.tsx';
import { setUpRoot } from './testing/set-up-root.ts';
import { TextButton } from './text-button.tsx';
import { TextField } from './text-field.tsx';

const { root, container: page } = setUpRoot();

/** @returns the control and the texts that describe it */
function renderField(texts: { hint?: string; problem?: string }) {
  const container = document.createElement('div');
  container.innerHTML = renderToStaticMarkup(<TextField label="Name" {...texts} />);
  const control = container.querySelector('input')!;
  const ids = control.getAttribute('aria-describedby')?.split(' ') ?? [];
  return {
    isInvalid: control.getAttribute('aria-invalid'),
    description: ids.map((id) => container.querySelector(`[id="${id}"]`)?.textContent),
  };
}

test.each([
  [{}, 'false', []],
  [{ hint: 'At most 30 letters.' }, 'false', ['At most 30 letters.']],
  [{ problem: 'Please enter a name.' }, 'true', ['Please enter a name.']],
  [
    { hint: 'At most 30 letters.', problem: 'Please enter a name.' },
    'true',
    ['At most 30 letters.', 'Please enter a name.'],
  ],
])(
  'A field with %j is marked and described by it [LAYOUT-100]',
  (texts, isInvalid, description) => {
    expect(renderField(texts)).toEqual({ isInvalid, description });
  },
);

test.each([
  ['button', Button],
  ['button in a text', TextButton],
])('A %s ignores presses while it is disabled', (_, AnyButton) => {
  const onClick = vi.fn<() => void>();
  const render = (isDisabled: boolean) =>
    act(() => root.render(<AnyButton aria-disabled={isDisabled} onClick={onClick} />));
  const press = () => act(() => page.querySelector('button')?.click());
  render(true);
  press();
  expect(onClick).not.toHaveBeenCalled();

  render(false);
  press();

  expect(onClick).toHaveBeenCalledOnce();
});

const onSubmit = vi.fn<(fields: { name: string }) => void>();

interface FormProps {
  isPending?: boolean;
  error?: Error | null;
  reset?: () => void;
}

function NameForm({ isPending = false, error = null, reset = () => {} }: FormProps) {
  const form = useForm({
    fields: { name: '' },
    command: { isPending, error, reset },
    findProblems: ({ name }) => ({ name: name ? null : 'Please enter a name.' }),
    onSubmit,
  });
  return (
    <Form form={form}>
      <TextField label="Name" {...form.bind('name')} />
      <output>{form.error}</output>
      <Button type="submit">Save</Button>
    </Form>
  );
}

const renderForm = (props: FormProps = {}) => act(() => root.render(<NameForm {...props} />));
const save = () => act(() => page.querySelector('form')?.requestSubmit());
const type = (text: string) =>
  act(() => {
    const field = page.querySelector('input')!;
    // React ignores a value that its own setter has set.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });

test('A form marks and focuses a wrong field, and sends nothing until it is right [LAYOUT-100]', () => {
  renderForm();
  save();
  expect(onSubmit).not.toHaveBeenCalled();
  expect(page.textContent).toContain('Please enter a name.');
  expect(document.activeElement).toBe(page.querySelector('input'));

  type('Ada');
  expect(page.textContent).not.toContain('Please enter a name.');
  save();

  expect(onSubmit).toHaveBeenLastCalledWith({ name: 'Ada' });
});

test('A form that is being sent is not sent again, and keeps what is sent', () => {
  renderForm();
  type('Ada');
  onSubmit.mockClear();

  renderForm({ isPending: true });
  save();
  type('Ada Lovelace');

  expect(onSubmit).not.toHaveBeenCalled();
  expect(page.querySelector('input')?.value).toBe('Ada');
});

test('A form says what the server said until a field changes', () => {
  const reset = vi.fn<() => void>();
  renderForm({ error: new NetworkError(), reset });
  expect(page.querySelector('output')?.textContent).toContain('The server cannot be reached.');

  type('Ada');

  expect(reset).toHaveBeenCalledOnce();
});
