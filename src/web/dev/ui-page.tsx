import type { ReactNode } from 'react';
import { Messages } from '#web/dev/messages.tsx';
import { Colors, Shapes, Type } from '#web/dev/tokens.tsx';
import {
  Buttons,
  Callouts,
  Dialogs,
  EmptyStates,
  Fields,
  Icons,
  ListBoxes,
  Loading,
  Tags,
  Logos,
  Menus,
  Notices,
  Personas,
} from '#web/dev/primitives.tsx';
import { DialogsProvider } from '#web/ui/dialogs.tsx';
import { NoticesProvider } from '#web/ui/notices.tsx';
import { Screen } from '#web/ui/screen.tsx';
import { SiteFooter } from '#web/ui/site-footer.tsx';
import styles from './ui-page.module.css';

const themes = ['default', 'riverside', 'ashgrove'];
const looks = ['light', 'dark', 'light dark'];

const sections: Record<string, ReactNode> = {
  Colors: <Colors />,
  Type: <Type />,
  Shapes: <Shapes />,
  Buttons: <Buttons />,
  Fields: <Fields />,
  Callouts: <Callouts />,
  Dialogs: <Dialogs />,
  Menus: <Menus />,
  'List boxes': <ListBoxes />,
  Notices: <Notices />,
  Tags: <Tags />,
  Loading: <Loading />,
  'Empty states': <EmptyStates />,
  Messages: <Messages />,
  'Persona icons': <Personas />,
  Icons: <Icons />,
};

interface Props {
  theme: string;
  look: string;
  logoUrl: string | null;
}

export function UiPage({ theme, look, logoUrl }: Props) {
  const choices = (name: string, all: readonly string[], to: (one: string) => string) => (
    <ul className={styles.choices} aria-label={name}>
      {all.map((one) => (
        <li key={one}>
          <a href={`?${to(one)}`} aria-current={one === theme || one === look ? 'true' : undefined}>
            {one}
          </a>
        </li>
      ))}
    </ul>
  );
  return (
    <NoticesProvider>
      <DialogsProvider>
        <Screen title="Every token and primitive">
          <nav className={styles.bar} aria-label="Looks">
            {choices('Theme', themes, (one) => `theme=${one}&look=${look}`)}
            {choices('Look', looks, (one) => `theme=${theme}&look=${one}`)}
          </nav>
          {Object.entries({ Logo: <Logos url={logoUrl} />, ...sections }).map(([name, content]) => (
            <section className={styles.section} key={name} aria-label={name}>
              <h2>{name}</h2>
              {content}
            </section>
          ))}
          <SiteFooter />
        </Screen>
      </DialogsProvider>
    </NoticesProvider>
  );
}
