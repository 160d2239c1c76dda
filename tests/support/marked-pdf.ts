// A PDF that carries a mark in every place where the format can store more than what a page shows.
import { createMarkedFiles } from './marked-files.ts';
import {
  appendObjects,
  compressStream,
  createPdfFile,
  stream,
  type PdfObject,
} from './pdf-files.ts';

/** What the page shows, in green. Everything that a reader hides is magenta. */
const visible = '0 0.6 0 rg 50 250 100 100 re f';
const magenta = '1 0 1 rg 0 0 300 400 re f';

/** The page has 300 x 400 points. */
export async function createMarkedPdf(mark: string): Promise<Buffer> {
  const pictures = await createMarkedFiles(mark);
  const createJpegStream = (name: string) =>
    stream(
      pictures[name] ?? new Uint8Array(),
      '/Type /XObject /Subtype /Image /Width 64 /Height 48 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /DCTDecode',
    );
  const xmp = stream(`<x:xmpmeta><dc:creator>${mark}</dc:creator></x:xmpmeta>`, '/Type /Metadata');
  const createHiddenForm = (dictionary: string) =>
    stream(`${magenta} BT /F 20 Tf 9 9 Td (${mark}) Tj ET`, dictionary);
  const appearance = '/Type /XObject /Subtype /Form /BBox [0 0 300 400]';
  /** The flag 2 hides it. */
  const createAnnotation = (entries: string, flag = 4) =>
    `<</Type /Annot /Rect [0 0 300 400] /F ${flag} /AP <</N 12 0 R>> /NM (${mark}) /M (${mark}) ${entries}>>`;
  const latest: PdfObject[] = [
    `<</Type /Catalog /Pages 2 0 R /Metadata 6 0 R /Lang (${mark}) /URI <</Base (${mark})>>
      /OpenAction <</S /JavaScript /JS (app.alert\\("${mark}"\\))>> /AA <</WC <</S /JavaScript /JS (${mark})>>>>
      /Names <</JavaScript <</Names [(${mark}) <</S /JavaScript /JS (${mark})>>]>>
        /EmbeddedFiles <</Names [(${mark}) 9 0 R]>> /Dests <</Names [(${mark}) [3 0 R /Fit]]>>>>
      /Outlines <</First 11 0 R /Last 11 0 R /Count 1>> /PageLabels <</Nums [0 <</P (${mark})>>]>>
      /OCProperties <</OCGs [13 0 R] /D <</OFF [13 0 R] /Name (${mark}) /Creator (${mark})>>>>
      /AcroForm <</Fields [16 0 R 17 0 R] /XFA [(datasets) 18 0 R] /NeedAppearances false>>
      /StructTreeRoot <</Type /StructTreeRoot /K <</S /P /Alt (${mark}) /ActualText (${mark}) /T (${mark})>>>>
      /MarkInfo <</Marked true>> /PieceInfo <</App <</Private (${mark})>>>> /Perms <</DocMDP 19 0 R>>>>`,
    '<</Type /Pages /Kids [3 0 R] /Count 1>>',
    `<</Type /Page /Parent 2 0 R /MediaBox [-500 -500 900 900] /CropBox [0 0 300 400] /Contents 4 0 R
      /Metadata 6 0 R /Thumb 7 0 R /PieceInfo <</${mark} <</Private (${mark})>>>> /LastModified (${mark})
      /Annots [14 0 R 15 0 R 16 0 R 17 0 R 20 0 R 21 0 R] /AA <</O <</S /URI /URI (https://${mark}.example)>>>>
      /Resources <</Font <</F 5 0 R>> /XObject <</${mark} 8 0 R /Profile 10 0 R /Layer 12 0 R>>
        /Properties <</Off 13 0 R>>>>>>`,
    stream(`${visible} % ${mark}
      /Span <</ActualText (${mark}) /Alt (${mark})>> BDC BT /F 20 Tf 60 200 Td (Exercise 1) Tj ET EMC
      q 64 0 0 48 160 300 cm /${mark} Do Q q 64 0 0 48 160 250 cm /Profile Do Q
      /OC /Off BDC ${magenta} BT /F 20 Tf (${mark}) Tj ET EMC
      q 0 0 0 0 re W n ${magenta} Q 1 0 1 rg -400 -400 300 300 re f
      BT 3 Tr /F 20 Tf 20 20 Td (${mark}) Tj ET BT 0 Tr 1 g 20 50 Td (${mark}) Tj ET
      1 0 1 rg 20 80 200 40 re f BT 0 g 20 90 Td (${mark}) Tj ET 1 g 20 80 200 40 re f`),
    `<</Type /Font /Subtype /TrueType /BaseFont /${mark}+Helvetica /Name /${mark}
      /FontDescriptor <</Type /FontDescriptor /FontName /${mark}+Helvetica /FontFamily (${mark}) /FontFile2 22 0 R>>>>`,
    xmp,
    createJpegStream('JPEG with a comment'),
    createJpegStream('JPEG with EXIF, GPS, maker note and thumbnail'),
    `<</Type /Filespec /F (${mark}.txt) /UF (${mark}.txt) /Desc (${mark}) /EF <</F 18 0 R>>>>`,
    createJpegStream('JPEG with a color profile'),
    `<</Title (${mark}) /Dest [3 0 R /Fit]>>`,
    createHiddenForm(appearance),
    `<</Type /OCG /Name (${mark})>>`,
    createAnnotation(`/Subtype /Text /Contents (${mark}) /T (${mark}) /RC (${mark})`, 2),
    createAnnotation(`/Subtype /FreeText /Contents (${mark}) /T (${mark}) /DA (/F 12 Tf)`, 2),
    createAnnotation(
      `/Subtype /Widget /FT /Tx /T (${mark}) /TU (${mark}) /V (${mark}) /DV (${mark})`,
      2,
    ),
    createAnnotation(`/Subtype /Widget /FT /Sig /T (signature) /V 19 0 R`),
    compressStream(`<data>${mark}</data>`, '/Type /EmbeddedFile'),
    `<</Type /Sig /Filter /Adobe.PPKLite /Name (${mark}) /Reason (${mark}) /Location (${mark}) /ContactInfo (${mark}) /Contents <${Buffer.from(mark).toString('hex')}>>>`,
    createAnnotation(`/Subtype /FileAttachment /FS 9 0 R`),
    createAnnotation(`/Subtype /Link /A <</S /URI /URI (https://${mark}.example)>>`),
    stream(mark),
    // Nothing refers to these.
    `(${mark})`,
    compressStream(mark),
  ];
  const info = ['Title', 'Author', 'Subject', 'Keywords', 'Creator', 'Producer', 'Company'];
  const trailer = `/Info <<${info.map((key) => `/${key} (${mark})`).join(' ')} /CreationDate (${mark})>> /ID [(${mark}) (${mark})]`;
  const earlier: PdfObject[] = latest.with(3, stream(`${magenta} BT (${mark}) Tj ET`));
  const update = appendObjects(createPdfFile(earlier, trailer), latest, trailer);
  return Buffer.concat([
    Buffer.from(`${mark}\n`),
    update,
    Buffer.from(`\n%${mark}\nPK\x03\x04${mark}`),
  ]);
}
