// PDFs that attack a renderer: its memory, its time or its parser.
import { deflateSync } from 'node:zlib';
import {
  compressStream,
  createManyPages,
  createOnePage,
  createPdfFile,
  stream,
  type PdfObject,
} from './pdf-files.ts';

/** Needs longer than the age of the universe: each form draws the next one 20 times. */
export function createEndlessPdf(): Buffer {
  const depth = 14;
  const forms = Array.from({ length: depth }, (_, index) => {
    const isLast = index === depth - 1;
    const next = isLast ? '' : `/Resources <</XObject <</F ${6 + index} 0 R>>>>`;
    const content = isLast ? '0 0 9 9 re f' : '/F Do '.repeat(20);
    return stream(content, `/Type /XObject /Subtype /Form /BBox [0 0 300 400] ${next}`);
  });
  return createOnePage({ content: '/F Do', resources: '/XObject <</F 5 0 R>>', objects: forms });
}

/** Needs gigabytes: 1,000 transparent groups, one inside the other. */
function createGroupsPdf(): Buffer {
  const count = 1000;
  const groups = Array.from({ length: count }, (_, index) =>
    stream(
      index === count - 1 ? '0 0 9 9 re f' : '/G gs /F Do 0 0 99 99 re f',
      `/Type /XObject /Subtype /Form /BBox [0 0 3000 4000] /Group <</S /Transparency /I true /K true>>
       /Resources <</XObject <</F ${6 + index} 0 R>> /ExtGState <</G <</ca 0.5 /BM /Luminosity>>>>>>`,
    ),
  );
  return createOnePage({
    content: '/G gs /F Do',
    resources: '/XObject <</F 5 0 R>> /ExtGState <</G <</ca 0.5>>>>',
    entries: '/MediaBox [0 0 3000 4000]',
    objects: groups,
  });
}

/** What the server answers to each. A drawn page may be empty. */
export function createHostilePdfs(): Record<string, { file: Buffer; answer: string }> {
  const plain = createOnePage({ content: '0 0 9 9 re f' });
  const text = plain.toString('latin1');
  const start = /startxref\n(\d+)/.exec(text)![1]!;
  const expectError = (file: Buffer, answer = 'PDF_BROKEN') => ({ file, answer });
  const expectDrawing = (file: Buffer) => ({ file, answer: 'drawn' });
  const replaceText = (from: string, to: string) => Buffer.from(text.replace(from, to), 'latin1');
  const createPageWithBox = (entries: string) =>
    expectDrawing(createOnePage({ content: '0 0 9 9 re f', entries }));
  return {
    'an empty file': expectError(Buffer.alloc(0), 'PDF_NOT_A_PDF'),
    'a web page': expectError(Buffer.from('<!doctype html><p>Hello'), 'PDF_NOT_A_PDF'),
    'a PDF behind other data': expectError(
      Buffer.concat([Buffer.alloc(2000, 'GIF89a'), plain]),
      'PDF_NOT_A_PDF',
    ),
    'only a header': expectError(Buffer.from('%PDF-1.7\n')),
    'no pages': expectError(createManyPages(0)),
    'a cut file': expectError(createManyPages(50).subarray(0, 600)),
    'a wrong place of the object table': expectDrawing(replaceText(start, '999999')),
    'an object table that continues in itself': expectDrawing(
      replaceText('/Root 1 0 R', `/Root 1 0 R /Prev ${start}`),
    ),
    'a length that refers to itself': expectDrawing(replaceText('/Length 12', '/Length 4 0 R')),
    'a page tree that contains itself': expectError(
      createPdfFile([
        '<</Type /Catalog /Pages 2 0 R>>',
        '<</Type /Pages /Kids [2 0 R 2 0 R] /Count 9>>',
      ]),
    ),
    'two billion pages': expectError(replaceText('/Count 1', '/Count 2147483647')),
    'a negative number of pages': expectError(replaceText('/Count 1', '/Count -5')),
    'a page tree of 2,000 levels': expectDrawing(createDeepPageTree(2000)),
    'a page as large as a planet': createPageWithBox(
      '/MediaBox [-2147483648 -2147483648 2147483647 2147483647]',
    ),
    'a page of no size': createPageWithBox('/MediaBox [0 0 0 0]'),
    'a page without a size': createPageWithBox('/Rotate 37'),
    'a page as narrow as a hair': createPageWithBox('/MediaBox [0 0 0.01 100000]'),
    'sizes that are no numbers': createPageWithBox('/MediaBox [0 0 nan inf]'),
    'an enormous unit': createPageWithBox('/MediaBox [0 0 300 400] /UserUnit 10000000'),
    'a hundred megabytes of content': expectError(
      createOnePage({
        content: {
          dictionary: '/Filter [/FlateDecode /FlateDecode]',
          stream: deflateSync(deflateSync(Buffer.alloc(100_000_000, 'q ')), { level: 9 }),
        },
      }),
    ),
    'a picture of four gigapixels': expectDrawing(
      createPicturePage('/FlateDecode', deflateSync(Buffer.alloc(1e7))),
    ),
    'a form that contains itself': expectDrawing(
      createOnePage({
        content: '/F Do',
        resources: '/XObject <</F 5 0 R>>',
        objects: [
          stream(
            '/F Do /F Do',
            '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</XObject <</F 5 0 R>>>>',
          ),
        ],
      }),
    ),
    'a glyph that contains itself': expectDrawing(createRecursiveGlyph()),
    'a million open brackets': expectError(createOnePage({ content: '['.repeat(1e6) })),
    'a million saved states': expectError(
      createOnePage({ content: compressStream('q '.repeat(1e6)) }),
    ),
    'gigabytes of transparent groups': expectError(createGroupsPdf(), 'PDF_TOO_COMPLEX'),
    ...Object.fromEntries(
      ['JBIG2', 'JPX', 'DCT', 'CCITTFax', 'LZW', 'RunLength', 'ASCII85'].map((name) => [
        `random ${name} data`,
        expectDrawing(createPicturePage(`/${name}Decode`, createPseudoRandomBytes())),
      ]),
    ),
  };
}

function createPicturePage(filter: string, data: Uint8Array): Buffer {
  const dictionary = `/Type /XObject /Subtype /Image /Width 65000 /Height 65000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter ${filter}`;
  return createOnePage({
    content: '300 0 0 400 0 0 cm /I Do',
    resources: '/XObject <</I 5 0 R>>',
    objects: [stream(data, dictionary)],
  });
}

function createDeepPageTree(depth: number): Buffer {
  const nodes = Array.from(
    { length: depth },
    (_, index) => `<</Type /Pages /Kids [${3 + index} 0 R] /Count 1>>`,
  );
  const objects: PdfObject[] = ['<</Type /Catalog /Pages 2 0 R>>', ...nodes];
  return createPdfFile([...objects, '<</Type /Page /MediaBox [0 0 300 400]>>']);
}

function createRecursiveGlyph(): Buffer {
  const font =
    '<</Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [1] /Encoding <</Differences [97 /a]>> /CharProcs <</a 6 0 R>> /Resources <</Font <</F 5 0 R>>>>>>';
  const content = 'BT /F 10 Tf (aaaaaaaaaa) Tj ET';
  return createOnePage({
    content,
    resources: '/Font <</F 5 0 R>>',
    objects: [font, stream(content)],
  });
}

function createPseudoRandomBytes(): Uint8Array {
  return Uint8Array.from({ length: 100_000 }, (_, index) => Math.imul(index, 2_654_435_761) >>> 13);
}
