import { expect, test } from 'vitest';
import { chooseLanguage } from './choose-language.ts';

const languages = ['en', 'de', 'pt-BR', 'ar'];

test.each([
  { cookie: '', accepted: '', language: 'en' },
  { cookie: '', accepted: 'de-AT,de;q=0.9,en;q=0.8', language: 'de' },
  { cookie: '', accepted: 'en;q=0.5, ar;q=0.9', language: 'ar' },
  { cookie: '', accepted: 'pt-PT', language: 'pt-BR' },
  { cookie: '', accepted: 'fi, *;q=0.1', language: 'en' },
  { cookie: 'language=ar', accepted: 'de', language: 'ar' },
  { cookie: 'language=fi', accepted: 'de', language: 'de' },
])(
  'the cookie $cookie and the accepted languages $accepted lead to $language',
  ({ cookie, accepted, language }) => {
    const headers = new Headers({ cookie, 'accept-language': accepted });

    expect(chooseLanguage(headers, languages)).toBe(language);
  },
);
