// What the PDF that the server makes contains, and what it looks like.
import { inflateSync } from 'node:zlib';
import { ColorSpace, Matrix, PDFDocument } from 'mupdf';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { processPdf } from '#server/pictures/pdf/process-pdf.ts';
import { createMarkedPdf } from '#tests/support/marked-pdf.ts';
import { createManyPages, createOnePage, createPdfFile, stream } from '#tests/support/pdf-files.ts';
import { createNoise } from '#tests/support/pictures.ts';

const mark = 'Canary7391';

/** The file's bytes, and the content of each compressed stream. */
function listContents(file: Uint8Array): string[] {
  const bytes = Buffer.from(file);
  const contents = [bytes];
  for (let offset = 0; (offset = bytes.indexOf('\nstream\n', offset)) !== -1; offset += 8) {
    const end = bytes.indexOf('\nendstream', offset);
    try {
      contents.push(inflateSync(bytes.subarray(offset + 8, end)));
    } catch {
      // Not compressed.
    }
  }
  return contents.map((content) => content.toString('latin1'));
}

function listWritings(text: string): string[] {
  const utf16 = Buffer.from(text, 'utf16le');
  return [
    text,
    utf16.toString('latin1'),
    Buffer.from(utf16).swap16().toString('latin1'),
    Buffer.from(text).toString('hex'),
  ];
}

function renderPages(pdf: Uint8Array) {
  const document = new PDFDocument(pdf);
  return Array.from({ length: document.countPages() }, (_, index) => {
    const page = document.loadPage(index);
    const pixmap = page.toPixmap(Matrix.identity, ColorSpace.DeviceRGB, false, true);
    const [, , width, height] = page.getBounds();
    const getColor = (x: number, y: number) => {
      const offset = y * pixmap.getStride() + x * 3;
      return [...pixmap.getPixels().subarray(offset, offset + 3)];
    };
    return { width, height, getColor };
  });
}

test('a new PDF has only what the pages of the upload show [PDF-4, PDF-25]', async () => {
  const file = await createMarkedPdf(mark);
  const { pdf, preview } = await processPdf(file);
  for (const output of [pdf, preview.display, preview.thumb]) {
    for (const content of listContents(output)) {
      for (const writing of listWritings(mark)) expect(content).not.toContain(writing);
    }
  }

  // Everything that a reader hides is magenta.
  const { data } = await sharp(preview.display)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let offset = 0; offset < data.length; offset += 3) {
    const isMagenta =
      data[offset]! > data[offset + 1]! + 60 && data[offset + 2]! > data[offset + 1]! + 60;
    if (isMagenta) throw new Error(`The page shows what the upload hides, at byte ${offset}.`);
  }
  expect(renderPages(pdf)[0]?.getColor(100, 100)).toEqual([0, 153, 0]);
});

test('the new PDF has only the names that pages of images need [PDF-4]', async () => {
  const { pdf } = await processPdf(await createMarkedPdf(mark));

  const withoutStreams = Buffer.from(pdf)
    .toString('latin1')
    .replaceAll(/\nstream\n[^]*?\nendstream/g, '');
  const names = new Set(withoutStreams.match(/\/\w+/g));
  expect([...names].toSorted()).toEqual(
    [
      ...['/BitsPerComponent', '/Catalog', '/ColorSpace', '/Contents', '/Count', '/DeviceRGB'],
      ...['/Filter', '/FlateDecode', '/Height', '/Image', '/Indexed', '/Kids', '/Length'],
      ...['/MediaBox', '/Page', '/Pages', '/Parent', '/Resources', '/Root', '/Size', '/Subtype'],
      ...['/Type', '/Width', '/XObject'],
    ].toSorted(),
  );
});

test('two uploads that look the same give the same bytes [PDF-4]', async () => {
  const [firstFile, secondFile] = await Promise.all([
    processPdf(await createMarkedPdf(mark)),
    processPdf(await createMarkedPdf('Other82')),
  ]);

  expect(Buffer.from(firstFile.pdf).equals(secondFile.pdf)).toBe(true);
});

test('what a person drew, wrote and filled in on a page is in the new PDF [PDF-25]', async () => {
  const red = stream('1 0 0 rg 0 0 40 40 re f', '/Type /XObject /Subtype /Form /BBox [0 0 40 40]');
  const annotations = [
    { subtype: 'Ink', entries: '/InkList [[0 300 40 340]]', isDrawn: true },
    { subtype: 'FreeText', entries: '/DA (/F 12 Tf) /Contents (see below)', isDrawn: true },
    { subtype: 'Highlight', entries: '/QuadPoints [80 340 120 340 80 300 120 300]', isDrawn: true },
    { subtype: 'Stamp', entries: '/Name /Approved', isDrawn: true },
    { subtype: 'Widget', entries: '/FT /Tx /T (answer) /V (42)', isDrawn: true },
    { subtype: 'Widget', entries: '/FT /Sig /T (signature)', isDrawn: false },
    { subtype: 'Ink', entries: '/F 2', isDrawn: false },
  ];
  const file = createOnePage({
    entries: `/MediaBox [0 0 300 400] /Annots [${annotations.map((_, n) => `${6 + n} 0 R`).join(' ')}]`,
    objects: [
      red,
      ...annotations.map(
        ({ subtype, entries }, n) =>
          `<</Type /Annot /Subtype /${subtype} /Rect [${n * 40} 300 ${n * 40 + 40} 340] /AP <</N 5 0 R>> ${entries}>>`,
      ),
    ],
  });

  const { pdf } = await processPdf(file);

  const colors = annotations.map((_, n) => renderPages(pdf)[0]?.getColor(n * 40 + 20, 80));
  expect(colors).toEqual(
    annotations.map(({ isDrawn }) => (isDrawn ? [255, 0, 0] : [255, 255, 255])),
  );
});

test('the pages of a PDF keep their order, size, rotation and colors [PDF-7]', async () => {
  const createContent = (color: string) => stream(`${color} rg 0 0 3000 3000 re f`);
  const file = createPdfFile([
    '<</Type /Catalog /Pages 2 0 R>>',
    '<</Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3>>',
    '<</Type /Page /Parent 2 0 R /MediaBox [0 0 595.28 841.89] /Contents 6 0 R>>',
    '<</Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Rotate 90 /Contents 7 0 R>>',
    '<</Type /Page /Parent 2 0 R /MediaBox [0 0 1684 2384] /Contents 8 0 R>>',
    createContent('1 0 0'),
    createContent('0 1 0'),
    createContent('0 0 1'),
  ]);

  const { pdf, pages, preview } = await processPdf(file);

  const shownPages = renderPages(pdf);
  expect(pages).toBe(3);
  expect(shownPages.map(({ width, height }) => [Math.round(width), Math.round(height)])).toEqual([
    [595, 842],
    [200, 300],
    [1684, 2384],
  ]);
  expect(shownPages.map(({ getColor }) => getColor(90, 90))).toEqual([
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ]);
  expect(
    Buffer.from(pdf)
      .toString('latin1')
      .match(/\/Width \d+/g),
  ).toEqual(['/Width 1191', '/Width 400', '/Width 1722']);
  expect(preview.shape).toMatchObject({ width: 1191, height: 1684, animated: false });
});

test('the pages of a long PDF share 300 megapixels [PDF-7]', async () => {
  const { pdf } = await processPdf(createManyPages(80, { entries: '/MediaBox [0 0 2000 2000]' }));

  const widths = new Set(
    Buffer.from(pdf)
      .toString('latin1')
      .match(/\/Width \d+/g),
  );
  expect([...widths]).toEqual(['/Width 1937']);
});

test('a photograph stays a JPEG, and letters stay sharp [PDF-7]', async () => {
  const photo = await (await createNoise(200, 200)).jpeg().toBuffer();
  const withPhoto = await processPdf(
    createOnePage({
      content: '300 0 0 400 0 0 cm /I Do',
      resources: '/XObject <</I 5 0 R>>',
      objects: [
        stream(
          photo,
          '/Type /XObject /Subtype /Image /Width 200 /Height 200 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode',
        ),
      ],
    }),
  );
  expect(Buffer.from(withPhoto.pdf).includes('/DCTDecode')).toBe(true);

  const font = '<</Type /Font /Subtype /Type1 /BaseFont /Times-Roman>>';
  const text = 'BT /F 12 Tf 20 380 Td 14 TL (Problem 1. Show that the limit exists.) Tj ET ';
  const withText = await processPdf(
    createOnePage({ content: text, resources: '/Font <</F 5 0 R>>', objects: [font] }),
  );
  expect(Buffer.from(withText.pdf).includes('/DCTDecode')).toBe(false);
  expect(renderPages(withText.pdf)[0]?.getColor(290, 390)).toEqual([255, 255, 255]);
});

test('a PDF can have 200 pages and 10 MB [PDF-2]', async () => {
  const { pages, pdf } = await processPdf(createManyPages(200, { content: '0 0 100 100 re f' }));
  expect([pages, renderPages(pdf).length]).toEqual([200, 200]);
  await expect(processPdf(createManyPages(201))).rejects.toThrow(
    'A PDF can have at most 200 pages. Please choose a shorter one.',
  );

  const large = Buffer.concat([createManyPages(1), Buffer.alloc(10 * 1024 * 1024)]);
  await expect(processPdf(large)).rejects.toThrow(
    'A PDF can have at most 10 MB. Please choose a smaller one.',
  );
});

test('a new PDF of more than 30 MB is rejected [PDF-8]', async () => {
  const photo = await (await createNoise(1500, 1500)).jpeg({ quality: 100 }).toBuffer();

  const image = stream(
    photo,
    '/Type /XObject /Subtype /Image /Width 1500 /Height 1500 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode',
  );
  const file = createManyPages(200, {
    content: '300 0 0 400 0 0 cm /I Do',
    resources: '/XObject <</I 4 0 R>>',
    objects: [image],
  });
  await expect(processPdf(file)).rejects.toThrow(
    'This PDF is too detailed for the server. Please send fewer pages, or pictures of them.',
  );
});

test('a PDF with a password is rejected [PDF-10]', async () => {
  const encrypt = (options: string) =>
    new PDFDocument(createManyPages(1, { content: '0 0 9 9 re f' }))
      .saveToBuffer(`encrypt=aes-256,${options}`)
      .asUint8Array()
      .slice();
  await expect(processPdf(encrypt('user-password=secret'))).rejects.toThrow(
    'This PDF is protected. Please save it without a password or other protection first.',
  );

  const unknown = createPdfFile(['<</Type /Catalog>>'], '/Encrypt <</Filter /Adobe.PubSec>>');
  await expect(processPdf(unknown)).rejects.toMatchObject({ code: 'PDF_ENCRYPTED' });

  const { pages } = await processPdf(encrypt('owner-password=secret,permissions=0'));
  expect(pages).toBe(1);
});
