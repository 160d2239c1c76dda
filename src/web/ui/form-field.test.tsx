import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TextField } from './text-field.tsx';

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
