import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  type TextareaHTMLAttributes,
  useLayoutEffect,
} from 'react';
import { attempt } from '#web/attempt.ts';
import { Optional } from '#web/error-boundary.tsx';
import { findFormat, type Format, isComposing } from '#web/ui/shortcut-keys.ts';
import { useMediaQuery } from '#web/ui/use-media-query.ts';
import { useEmojiSuggestions } from '../emoji/use-emoji-suggestions.tsx';
import { replaceText, getFieldSelection } from './replace-text.ts';
import { textEdits } from './use-pasted-code.ts';
import styles from './message-field.module.css';

type Omitted = 'onChange' | 'onSubmit' | 'rows' | 'dir';

interface Props extends Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, Omitted> {
  ref: RefObject<HTMLTextAreaElement | null>;
  value: string;
  onChange: (text: string) => void;
  /** Called on Enter. */
  onSubmit: () => void;
}

/** The text area of a message, with the shortcuts that write Markdown. Its height fits the text. */
export function MessageField({
  ref,
  value,
  onChange,
  onSubmit,
  onKeyDown,
  onPaste,
  onSelect,
  onBlur,
  enterKeyHint,
  className = '',
  ...rest
}: Props) {
  const isTouch = useMediaQuery('(pointer: coarse)');
  const emoji = useEmojiSuggestions(ref);
  useLayoutEffect(() => {
    if (ref.current && !isSizedByBrowser) fitHeight(ref.current, value);
  }, [ref, value]);

  const handleKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (attempt(() => emoji.onKeyDown(event), false)) return event.stopPropagation();
    attempt(() => onKeyDown?.(event), undefined);
    if (event.defaultPrevented) return;
    const format = findFormat(event.nativeEvent);
    if (format) {
      event.preventDefault();
      toggleFormat(event.currentTarget, format);
    } else if (isSubmitKey(event, isTouch)) {
      event.preventDefault();
      onSubmit();
    }
  };
  const handlePaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { currentTarget: field, clipboardData } = event;
    const pastedText = clipboardData.getData('text/plain');
    const { selectionStart, selectionEnd } = field;
    if (selectionStart === selectionEnd || !isWebAddress(pastedText)) return onPaste?.(event);
    event.preventDefault();
    pasteAddress(field, pastedText);
  };

  return (
    <>
      <textarea
        {...rest}
        {...emoji.aria}
        ref={ref}
        className={`${styles.field} ${className}`}
        rows={1}
        dir="auto"
        enterKeyHint={isTouch ? 'enter' : enterKeyHint}
        value={value}
        onChange={({ target, nativeEvent }) => {
          onChange(target.value);
          emoji.follow(nativeEvent instanceof InputEvent ? nativeEvent.data : null);
        }}
        onSelect={(event) => {
          onSelect?.(event);
          emoji.follow();
        }}
        onBlur={(event) => {
          onBlur?.(event);
          emoji.close();
        }}
        onKeyDown={handleKeyDown}
        onPaste={handlePaste}
      />
      <Optional resetKey={value}>{emoji.popup}</Optional>
    </>
  );
}

function toggleFormat(field: HTMLTextAreaElement, format: Format): void {
  const text = field.value;
  void textEdits.load().then(() => {
    if (field.value !== text) return;
    const edit = textEdits.getSnapshot()?.toggleFormat(getFieldSelection(field), format);
    if (edit) replaceText(field, edit);
  });
}

/** Makes the selected words the text of a link. If they cannot be, the address replaces them. */
function pasteAddress(field: HTMLTextAreaElement, address: string): void {
  void textEdits.load().then(() => {
    const selection = getFieldSelection(field);
    const { from, to } = selection;
    const end = from + address.length;
    const plain = { from, to, insert: address, selectFrom: end, selectTo: end };
    replaceText(field, textEdits.getSnapshot()?.linkSelection(selection, address) ?? plain);
  });
}

function isWebAddress(text: string): boolean {
  return /^\s*https?:\/\/\S+\s*$/i.test(text);
}

const isSizedByBrowser = CSS.supports('field-sizing', 'content');

/** Makes the field as high as its text, in browsers without `field-sizing`. */
function fitHeight(field: HTMLTextAreaElement, text: string): void {
  const parent = field.parentElement;
  if (!parent) return;
  // The measurement collapses the field. The parent keeps its height, so that nothing else moves.
  parent.style.height = `${parent.offsetHeight}px`;
  field.style.height = 'auto';
  // An empty field keeps one row, even if its placeholder is longer.
  if (text) field.style.height = `${field.scrollHeight}px`;
  parent.style.height = '';
}

/**
 * Whether the key is Enter and neither inserts a line break nor ends an IME composition. On touch devices
 * Return inserts a line break, because on-screen keyboards have no other key for it.
 */
function isSubmitKey(event: KeyboardEvent, isTouch: boolean): boolean {
  const { key, shiftKey, ctrlKey, metaKey, nativeEvent } = event;
  if (key !== 'Enter' || shiftKey || isComposing(nativeEvent)) return false;
  return !isTouch || ctrlKey || metaKey;
}
