/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions -- the line only learns that its button has the focus. */
import { type ReactNode, useState } from 'react';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { DayHeading } from './day-heading.tsx';
import { type CollapsedMessages, toCollapsedLabel, type MessageRow } from './message-rows.ts';
import { messageAttribute } from './use-message-keys.ts';
import itemStyles from './message-item.module.css';

interface Props extends Pick<MessageRow, 'message' | 'startsDay'> {
  collapsed: CollapsedMessages;
  /** The line above the first new message. */
  newLine: ReactNode;
  isHighlighted: boolean;
  onShow: (ids: readonly string[]) => void;
  onPickDay: (time: number) => void;
}

/** One line in place of consecutive messages that are hidden or whose authors the viewer ignores. */
export function CollapsedLine(props: Props) {
  const { message, collapsed, onShow } = props;
  const [hasFocus, setHasFocus] = useState(false);
  const tabIndex = hasFocus ? 0 : -1;
  const label = toCollapsedLabel(collapsed);
  return (
    <div className={itemStyles.item}>
      {props.startsDay && (
        <DayHeading
          className={itemStyles.day}
          timestamp={message.createdAt}
          tabIndex={tabIndex}
          onPickDay={props.onPickDay}
        />
      )}
      {props.newLine}
      <article
        {...{ [messageAttribute]: message.id }}
        className={itemStyles.row}
        tabIndex={-1}
        aria-label={label}
        data-highlighted={props.isHighlighted || undefined}
        onFocus={() => setHasFocus(true)}
        onBlur={() => setHasFocus(false)}
      >
        <p className={itemStyles.collapsed}>
          {label}
          <Button variant="plain" tabIndex={tabIndex} onClick={() => onShow(collapsed.ids)}>
            {getText('chat.message.show')}
          </Button>
        </p>
      </article>
    </div>
  );
}
