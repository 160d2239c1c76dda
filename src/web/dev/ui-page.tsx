import type { ReactNode } from 'react';
import { Messages } from '#web/dev/messages.tsx';
import { Colors, Shapes, Type } from '#web/dev/tokens.tsx';
import {
  Buttons,
  Callouts,
  Dialogs,
  DayPickers,
  EmptyStates,
  Fields,
  Icons,
  ListBoxes,
  Loading,
  Tags,
  MessageEntries,
  QuestionCards,
  Logos,
  Menus,
  Notices,
  Tabs,
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
  'Question cards': <QuestionCards />,
  Fields: <Fields />,
  Callouts: <Callouts />,
  Dialogs: <Dialogs />,
  Menus: <Menus />,
  'List boxes': <ListBoxes />,
  Notices: <Notices />,
  Tabs: <Tabs />,
  Tags: <Tags />,
  'Message entries': <MessageEntries />,
  Loading: <Loading />,
  'Day picker': <DayPickers />,
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
  const renderChoices = (
    name: string,
    choices: readonly string[],
    toQuery: (choice: string) => string,
  ) => (
    <ul className={styles.choices} aria-label={name}>
      {choices.map((choice) => (
        <li key={choice}>
          <a
            href={`?${toQuery(choice)}`}
            aria-current={choice === theme || choice === look ? 'true' : undefined}
          >
            {choice}
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
            {renderChoices('Theme', themes, (nextTheme) => `theme=${nextTheme}&look=${look}`)}
            {renderChoices('Look', looks, (nextLook) => `theme=${theme}&look=${nextLook}`)}
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
