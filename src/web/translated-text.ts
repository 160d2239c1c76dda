// Chrome's translation replaces each text node by `<font>` elements. React goes on to change, move and remove the text
// node that it has made, which is no longer in the page: without this module, texts stay as they were, and removing one
// throws. The text node goes back into the page, empty and in front of its translation, which leaves with the text.

interface Translation {
  font: Element;
  /** What was translated. */
  text: string;
}

const translations = new WeakMap<Node, Translation>();
/** The text nodes of the translations. */
const originals = new WeakMap<Node, Text>();

export function followTranslation(page: Node): void {
  const observer = new MutationObserver((records) => {
    for (const record of records) follow(record);
    // Forgets the changes of this module.
    observer.takeRecords();
  });
  observer.observe(page, { characterData: true, childList: true, subtree: true });
}

function follow(record: MutationRecord): void {
  if (record.type === 'characterData') return removeTranslation(record.target);
  for (const node of record.removedNodes) {
    if (translations.has(node)) moveTranslation(node);
    else if (originals.has(node)) restore(node);
    else if (node instanceof Text && !node.isConnected) keepOriginal(node, record);
  }
}

function keepOriginal(original: Text, { addedNodes, previousSibling }: MutationRecord): void {
  const font = [...addedNodes, previousSibling].find(
    (node) => node instanceof Element && node.localName === 'font' && !originals.has(node),
  );
  if (!(font instanceof Element) || !font.isConnected) return;
  translations.set(original, { font, text: original.data });
  originals.set(font, original);
  font.before(original);
  original.data = '';
}

/** The text has changed, or is gone. */
function removeTranslation(original: Node): void {
  translations.get(original)?.font.remove();
  translations.delete(original);
}

/** React has moved or removed the text, or the reader wants to see the original. */
function moveTranslation(original: Node): void {
  const { font } = translations.get(original) ?? {};
  if (!font?.isConnected) restore(font);
  else if (original instanceof Text && original.isConnected) original.after(font);
  else removeTranslation(original);
}

/** The translation is gone. */
function restore(font: Node | undefined): void {
  const original = font && originals.get(font);
  const translation = original && translations.get(original);
  if (!translation || translation.font.isConnected) return;
  original.data = translation.text;
  translations.delete(original);
}
