import { useState } from 'react';
import { call, toErrorMessage } from '#web/api.ts';
import { getText, language } from '#web/get-text.ts';
import { getMetaContent, site } from '#web/site.ts';
import { SelectField } from '#web/ui/select-field.tsx';
import { changeLanguage } from './language.ts';

const uncheckedLanguages = getMetaContent('unchecked-languages', '').split(',');

interface Props {
  /** The account gets its mails in the language, too. */
  isSignedIn: boolean;
}

/** Chooses the language of the app, if it has several. */
export function LanguageChoice({ isSignedIn }: Props) {
  const [problem, setProblem] = useState<string>();
  const choose = async (chosenLanguage: string) => {
    try {
      if (isSignedIn) await call('saveLanguage', { body: { language: chosenLanguage } });
      await changeLanguage(chosenLanguage);
    } catch (error) {
      setProblem(toErrorMessage(error));
    }
  };
  if (site.languages.length === 1) return null;
  return (
    <>
      <SelectField
        label={getText('language.label')}
        value={language}
        problem={problem}
        onChange={({ target }) => void choose(target.value)}
      >
        {site.languages.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {toOwnName(tag)}
          </option>
        ))}
      </SelectField>
      {uncheckedLanguages.includes(language) && (
        <p className="muted">{getText('language.unchecked')}</p>
      )}
    </>
  );
}

/** `de` → `Deutsch`, `es` → `Español` */
function toOwnName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}
