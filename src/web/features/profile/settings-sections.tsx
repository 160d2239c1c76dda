import type { ReactNode } from 'react';
import { LanguageChoice } from '#web/data/language-choice.tsx';
import { changeSetting, type SettingName, type Settings, useSettings } from '#web/data/settings.ts';
import { getText } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './settings-sections.module.css';

type Choices<Name extends SettingName> = readonly (readonly [Settings[Name], string])[];

const themes: Choices<'theme'> = [
  ['system', getText('profile.theme.system')],
  ['light', getText('profile.theme.light')],
  ['dark', getText('profile.theme.dark')],
];
const textSizes: Choices<'textSize'> = [
  ['small', getText('profile.textSize.small')],
  ['default', getText('profile.textSize.default')],
  ['large', getText('profile.textSize.large')],
  ['largest', getText('profile.textSize.largest')],
];
const densities: Choices<'density'> = [
  ['comfortable', getText('profile.density.comfortable')],
  ['compact', getText('profile.density.compact')],
];

/** How the app looks in this browser. */
export function AppearanceSection() {
  return (
    <ProfileSection
      title={getText('profile.appearance.title')}
      isPage
      lead={getText('profile.appearance.lead')}
    >
      <LanguageChoice isSignedIn />
      <Choice legend={getText('profile.theme.label')} name="theme" choices={themes} />
      <Choice legend={getText('profile.textSize.label')} name="textSize" choices={textSizes} />
      <Choice legend={getText('profile.density.label')} name="density" choices={densities} />
    </ProfileSection>
  );
}

interface ChoiceProps<Name extends SettingName> {
  legend: string;
  name: Name;
  choices: Choices<Name>;
}

function Choice<Name extends SettingName>({ legend, name, choices }: ChoiceProps<Name>) {
  const currentValue = useSettings()[name];
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div className={styles.choices}>
        {choices.map(([value, label]) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name={name}
              value={value}
              checked={currentValue === value}
              onChange={() => changeSetting(name, value)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** @param children the button that shows the shortcuts */
export function KeyboardSection({ children }: { children: ReactNode }) {
  const { characterKeys } = useSettings();
  return (
    <ProfileSection title={getText('profile.keys.title')} lead={getText('profile.keys.lead')}>
      <CheckBox
        checked={characterKeys === 'on'}
        onChange={(isChecked) => changeSetting('characterKeys', isChecked ? 'on' : 'off')}
      >
        {getText('profile.keys.character')}
      </CheckBox>
      {children}
    </ProfileSection>
  );
}
