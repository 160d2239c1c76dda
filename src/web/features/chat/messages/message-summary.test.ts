import { expect, test } from 'vitest';
import { countImages } from '#web/format.ts';
import { summarizeMessage, toImageLabel } from './message-summary.ts';

test.each([
  [0, 0, ''],
  [1, 0, 'Picture'],
  [3, 0, '3 pictures'],
  [1, 1, 'PDF'],
  [2, 2, '2 PDFs'],
  [2, 1, 'Picture and PDF'],
  [3, 1, '2 pictures and 1 PDF'],
  [4, 3, '1 picture and 3 PDFs'],
])('%i pictures and PDFs, %i of them PDFs: %s [PDF-16, PIC-78]', (imageCount, pdfCount, text) => {
  expect(countImages({ imageCount, pdfCount })).toBe(text);
});

test('a summary separates the text from the pictures, and does not describe a hidden one [PIC-78, PIC-98]', () => {
  const picture = {
    imageUrl: '/images/1.webp',
    thumbUrl: '/images/1.small.webp',
    width: 400,
    height: 300,
    placeholder: '',
    animated: false,
    alt: '',
  };
  const message = { text: 'The boards from today', unsentPictures: [] };

  expect(summarizeMessage({ ...message, images: [picture, picture] }, new Map())).toBe(
    'The boards from today · 2 pictures',
  );
  expect(summarizeMessage({ ...message, images: [] }, new Map())).toBe('The boards from today');
  const hidden = { ...picture, alt: 'The solution', spoiler: true as const };
  expect(summarizeMessage({ ...message, images: [hidden] }, new Map())).toBe(
    'The boards from today · Picture: Hidden, press to show',
  );
});

test('the name of a PDF says its pages and its place [PDF-16]', () => {
  const pdf = { alt: 'Sheet', isPdf: true, pages: 3 };
  expect(toImageLabel(pdf)).toBe('PDF, 3 pages: Sheet');
  expect(toImageLabel({ ...pdf, alt: '', pages: 1 }, 1, 4)).toBe('PDF 2 of 4, 1 page');
  expect(toImageLabel({ alt: '', isPdf: true })).toBe('PDF');
  expect(toImageLabel({ alt: '', isPdf: false }, 0, 2)).toBe('Picture 1 of 2');
});
