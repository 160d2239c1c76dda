import { type PersonOptions, usePersonItems } from '#web/data/person-items.ts';
import { toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { type Anchor, Menu } from '#web/ui/menu.tsx';

interface Props extends PersonOptions {
  /** Tells the person from others with the same tile. */
  tag: string | undefined;
  anchor: Anchor;
  onClose: () => void;
}

/** The menu of the person who wrote a message. */
export function AuthorMenu(props: Props) {
  const { persona, tag, anchor, onClose } = props;
  const { items } = usePersonItems(props);
  const name = toSpokenName(persona, tag);
  return (
    <Menu
      label={getText('chat.author.menu', { name })}
      anchor={anchor}
      items={items}
      sheetTitle={<bdi translate="no">{name}</bdi>}
      onClose={onClose}
    />
  );
}
