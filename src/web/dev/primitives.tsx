import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { DayPicker, openDayPicker } from '#web/ui/day-picker.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { Listbox } from '#web/ui/listbox.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';
import { EntryAuthor, EntrySkeletons, EntryTime } from '#web/ui/message-entry.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { NoticeBar } from '#web/ui/notice-bar.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { PanelTabs } from '#web/ui/panel-tabs.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { FoldedAnswer, QuestionCard } from '#web/ui/question-card.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './ui-page.module.css';

const doNothing = () => undefined;

export function Logos({ url }: { url: string | null }) {
  return (
    <div className={styles.row}>
      <Logo url={url} height={40} />
      <Logo url={null} height={40} />
    </div>
  );
}

export function Buttons() {
  return (
    <>
      {(['primary', 'quiet', 'plain', 'danger'] as const).map((variant) => (
        <div className={styles.row} key={variant}>
          <Button variant={variant}>{variant}</Button>
          <Button variant={variant} disabled>
            disabled
          </Button>
        </div>
      ))}
      <Button variant="primary" wide>
        wide
      </Button>
      <div className={styles.row}>
        <IconButton icon="share" label="Share" />
        <IconButton icon="more" label="More" aria-expanded />
        <IconButton icon="question" label="Ask as a question" aria-pressed />
      </div>
      <p>
        A sentence with its <TextButton>text button</TextButton>
      </p>
    </>
  );
}

export function Fields() {
  const [password, setPassword] = useState('correct horse');
  return (
    <div className={styles.fields}>
      <TextField label="Empty" placeholder="Placeholder" />
      <TextField label="With a hint" hint="At least 8 characters." defaultValue="Filled" />
      <TextField
        label="Wrong"
        problem="Please enter the address of the university."
        defaultValue="ada@gmail.com"
      />
      <TextField label="Disabled" disabled defaultValue="Cannot be changed" />
      <TextAreaField label="Several lines" hint="At most 2,000 characters." rows={3} />
      <Link to="/privacy">A link</Link>
      <PasswordField kind="new" value={password} onChange={setPassword} />
      <SelectField label="Season" defaultValue="Fall">
        <option>Spring</option>
        <option>Fall</option>
      </SelectField>
    </div>
  );
}

export function Callouts() {
  return (
    <>
      <Callout kind="error">Invalid email or password.</Callout>
      <Callout kind="info">Password reset email sent! Please check your inbox.</Callout>
    </>
  );
}

export function Tags() {
  return (
    <>
      <Tag>Ended</Tag> <StaffBadge persona={{ staff: true }} />
    </>
  );
}

export function Dialogs() {
  const { alert, confirm } = useDialogs();
  const [open, setOpen] = useState(false);
  const [formOpen, setFormOpen] = useState(false);
  return (
    <div className={styles.row}>
      <Button onClick={() => void alert('Please fill out all fields')}>Alert</Button>
      <Button
        onClick={() =>
          void confirm('Do you want to delete this message?', { label: 'Delete', danger: true })
        }
      >
        Question
      </Button>
      <Button onClick={() => setOpen(true)}>Dialog with a title</Button>
      <Button onClick={() => setFormOpen(true)}>Dialog with a form</Button>
      {open && (
        <Modal
          title="Join Class"
          text="Would you like to join CS 146?"
          onDismiss={() => setOpen(false)}
          actions={
            <Button variant="primary" data-first-focus onClick={() => setOpen(false)}>
              Join
            </Button>
          }
        />
      )}
      {formOpen && (
        <FormDialog
          title="Appeal"
          text="You can appeal once."
          submitLabel="Send appeal"
          isPending={false}
          error={null}
          onSubmit={doNothing}
          onCancel={() => setFormOpen(false)}
        >
          <TextAreaField
            label="Why do you disagree?"
            problem="Please write why you disagree."
            data-first-focus
          />
        </FormDialog>
      )}
    </div>
  );
}

export function Menus() {
  return (
    <MenuButton
      label="Options"
      items={[
        { icon: 'share', label: 'Share Class', action: doNothing },
        { icon: 'leave', label: 'Delete Class', danger: true, action: doNothing },
      ]}
    />
  );
}

const tabs = ['Open · 3', 'Answered', 'Mine'].map((title) => ({ name: title, title }));

export function Tabs() {
  const [currentTab, setCurrentTab] = useState('Mine');
  return (
    <PanelTabs label="Questions" tabs={tabs} currentTab={currentTab} onChange={setCurrentTab} />
  );
}

export function Notices() {
  const notify = useNotify();
  const action = { label: 'Undo', run: doNothing };
  return (
    <div className={styles.row}>
      <Button onClick={() => notify({ text: 'The picture was not deleted.' })}>Notice</Button>
      <Button onClick={() => notify({ text: 'CS 146 is deleted from your classes.', action })}>
        Notice with an action
      </Button>
      <NoticeBar text="A new version is ready">
        <Button variant="primary">Reload</Button>
        <Button variant="plain">Later</Button>
      </NoticeBar>
    </div>
  );
}

const listOptions = ['CS 146', 'MATH 30', 'PHIL 12'].map((name) => ({
  key: name.slice(-2),
  content: name,
}));

export function ListBoxes() {
  const [active, setActive] = useState(0);
  return (
    <Listbox
      id="list"
      label="Classes"
      options={listOptions}
      activeIndex={active}
      onActivate={setActive}
      onChoose={doNothing}
    />
  );
}

export function Loading() {
  return (
    <>
      <Skeleton width="60%" height={16} />
      <Skeleton width="80%" />
      <Skeleton width={96} />
    </>
  );
}

const refetch = () => Promise.resolve();
const loading = { data: undefined, error: null, refetch };
const failed = { data: undefined, error: new Error('The server did not answer.'), refetch };

const today = new Date();

export function DayPickers() {
  return (
    <DayPicker today={today} onPick={() => {}}>
      <Button onClick={openDayPicker}>Jump to a date</Button>
    </DayPicker>
  );
}

export function EmptyStates() {
  return (
    <>
      {(['table', 'door', 'lens'] as const).map((drawing) => (
        <EmptyState key={drawing} drawing={drawing} text="One sentence about what is not here.">
          <Button>One action</Button>
        </EmptyState>
      ))}
      <QueryState query={loading} />
      <QueryState query={failed} />
      <QueryFailure query={failed} />
    </>
  );
}

export function Personas() {
  return (
    <>
      {[24, 32].map((size) => (
        <ul className={styles.personas} key={size} aria-label={`${size} px`}>
          {Array.from({ length: 36 }, (_, i) => (
            <li key={i}>
              <VisuallyHidden>{`Persona ${i + 1}`}</VisuallyHidden>
              <PersonaIcon seed={`persona ${i}`} size={size} />
            </li>
          ))}
        </ul>
      ))}
    </>
  );
}

export function QuestionCards() {
  return (
    <QuestionCard
      vote={{ votes: 12, voted: true, onToggle: doNothing }}
      state="open"
      footer={<FoldedAnswer>One page of notes.</FoldedAnswer>}
    >
      What may we bring?
    </QuestionCard>
  );
}

export function MessageEntries() {
  return (
    <>
      <EntryAuthor name="Calm Owl" icon="owl" persona={{ staff: true }} tag="3F">
        <EntryTime createdAt={today.getTime()} now={today} />
      </EntryAuthor>
      <EntrySkeletons />
    </>
  );
}

/** A record, so that a missing icon is a compile error. */
const icons: Record<IconName, true> = {
  at: true,
  home: true,
  ignore: true,
  mute: true,
  menu: true,
  create: true,
  question: true,
  hand: true,
  find: true,
  poll: true,
  search: true,
  profile: true,
  more: true,
  send: true,
  down: true,
  chevron: true,
  check: true,
  close: true,
  share: true,
  leave: true,
  eye: true,
  eyeOff: true,
  alert: true,
  people: true,
  clock: true,
  calendar: true,
  emoji: true,
  text: true,
  copy: true,
  edit: true,
  remove: true,
  picture: true,
  document: true,
  save: true,
  left: true,
  right: true,
  less: true,
  reply: true,
  flag: true,
  shield: true,
  pin: true,
};

export function Icons() {
  return (
    <ul className={styles.grid}>
      {(Object.keys(icons) as IconName[]).map((name) => (
        <li key={name} className={styles.swatch}>
          <Icon name={name} />
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
