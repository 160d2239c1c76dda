import type { ReactNode } from 'react';
import { LanguageChoice } from '#web/data/language-choice.tsx';
import { changeSetting, type SettingName, type Settings, useSettings } from '#web/data/settings.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { ProfileSection } from './profile-section.tsx';
import styles from './settings-sections.module.css';

type Choices<Name extends SettingName> = readonly (readonly [Settings[Name], string])[];

const themes: Choices<'theme'> = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];
const textSizes: Choices<'textSize'> = [
  ['small', 'Small'],
  ['default', 'Default'],
  ['large', 'Large'],
  ['largest', 'Largest'],
];
const densities: Choices<'density'> = [
  ['comfortable', 'Comfortable'],
  ['compact', 'Compact'],
];

/** How the app looks in this browser. */
export function AppearanceSection() {
  return (
    <ProfileSection
      title="Appearance"
      isPage
      lead="These settings apply to this browser only. Logging out resets them."
    >
      <LanguageChoice isSignedIn />
      <Choice legend="Theme" name="theme" choices={themes} />
      <Choice legend="Text size" name="textSize" choices={textSizes} />
      <Choice legend="Density" name="density" choices={densities} />
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
  const { questionMark } = useSettings();
  return (
    <ProfileSection title="Keyboard" lead="Every part of the app works with the keyboard alone.">
      <CheckBox
        checked={questionMark === 'on'}
        onChange={(isChecked) => changeSetting('questionMark', isChecked ? 'on' : 'off')}
      >
        Show the shortcuts when I press ?
      </CheckBox>
      {children}
    </ProfileSection>
  );
}
