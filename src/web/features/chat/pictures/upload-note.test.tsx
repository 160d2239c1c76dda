import { act } from 'react';
import { expect, test, vi } from 'vitest';
import type { OutboxPicture } from '#web/sync/outbox/outbox-storage.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { UploadNote } from './upload-note.tsx';

const { root, container } = setUpRoot();

function createPicture(megabytes: number, fields: Partial<OutboxPicture> = {}): OutboxPicture {
  const bytes = new Blob([new Uint8Array(megabytes * 1024 ** 2)], { type: 'image/jpeg' });
  return { id: 'a', bytes, size: null, alt: '', imageId: null, refusal: null, ...fields };
}
const createPdf = () =>
  createPicture(1, { bytes: new Blob(['%PDF-'], { type: 'application/pdf' }) });

function renderNote(
  unsentPictures: readonly OutboxPicture[],
  progress: readonly (number | null)[],
  onCancel = () => undefined,
): string {
  const message = { unsentPictures, progress };
  act(() => root.render(<UploadNote message={message} onCancel={onCancel} />));
  return container.querySelector('span')?.textContent ?? '';
}

const uploadedFile = { imageId: 'image 1' };

test.each([
  ['before it begins', [createPicture(2.5)], [null], '2.5 MB to upload'],
  ['on its way', [createPicture(2.5)], [0.5], '1.3 of 2.5 MB uploaded'],
  [
    'after the first file',
    [createPicture(1, uploadedFile), createPicture(1)],
    [null, null],
    '1.0 of 2.0 MB uploaded',
  ],
  [
    'with the second file',
    [createPicture(1, uploadedFile), createPicture(1)],
    [null, 0.5],
    '1.5 of 2.0 MB uploaded',
  ],
  ['with a small file', [createPicture(0.01)], [0], '0.0 of 0.1 MB uploaded'],
  ['while the server reads a PDF', [createPdf()], [1], 'Preparing the PDF…'],
  ['after the upload', [createPicture(1, uploadedFile)], [null], ''],
])('An upload says how far it is %s [PIC-91]', (_, pictures, progress, text) => {
  expect(renderNote(pictures, progress)).toBe(text);
});

test('The note of an upload cancels it and announces nothing [PIC-91]', () => {
  const onCancel = vi.fn<() => undefined>();
  renderNote([createPicture(1)], [0.2], onCancel);

  act(() => container.querySelector('button')?.click());

  expect(onCancel).toHaveBeenCalledOnce();
  expect(container.querySelector('[role=status], [role=alert], [aria-live]')).toBeNull();
});
