// The reported message and its neighbors, as a moderator reads them.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { expect, test } from 'vitest';
import type { Message, Picture } from '#contract/entities.ts';
import type { Case } from '#contract/moderation.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { setUpRoot } from '#web/ui/testing/set-up-root.ts';
import { CaseContext } from './case-context.tsx';

const { root, container } = setUpRoot();

const persona = { memberId: 'author', anonymousName: 'Blue Fox', icon: 'a' };
const pdf: Picture = {
  imageUrl: '/images/1.webp',
  thumbUrl: '/images/1.small.webp',
  width: 300,
  height: 400,
  placeholder: '',
  animated: false,
  pages: 2,
  pdfUrl: '/images/1.pdf',
  alt: 'Sheet 3',
};

async function render(fields: {
  reported?: string;
  options?: string[];
  neighbor?: Partial<Message>;
}): Promise<void> {
  await markupParser.load();
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const caseDetails = {
    caseId: 'case',
    version: 1,
    messageId: 'reported',
    persona,
    shown: 'visible',
    evidence: {
      text: fields.reported ?? '',
      options: fields.options,
      images: [],
      createdAt: 2,
      edits: [],
      personas: [],
    },
  } as unknown as Case;
  const neighbor = { id: 'neighbor', memberId: 'author', createdAt: 1, text: '', images: [] };
  client.setQueryData(['readCaseContext', { params: { caseId: 'case' } }, 1], {
    messages: fields.neighbor ? [{ ...neighbor, moderation: null, ...fields.neighbor }] : [],
    personas: [persona],
  });
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <CaseContext caseDetails={caseDetails} />
      </QueryClientProvider>,
    ),
  );
}

test('the messages around the reported one have their markup [MOD-52]', async () => {
  await render({ neighbor: { text: '**Great**, says nobody' } });

  expect(container.querySelector('strong')?.textContent).toBe('Great');
  expect(container.textContent).toContain('Great, says nobody');
  expect(container.textContent).not.toContain('**');
});

test('a reported text with markup is shown as the class saw it and as it was typed [MOD-52]', async () => {
  await render({ reported: '[a bank](https://evil.example)' });

  expect(container.querySelector('a')?.href).toBe('https://evil.example/');
  expect(container.querySelector('details')?.textContent).toBe(
    'As typed[a bank](https://evil.example)',
  );
});

test('a reported text without markup is shown once [MOD-52]', async () => {
  await render({ reported: 'plain words' });

  expect(container.querySelector('details')).toBeNull();
  expect(container.textContent.split('plain words')).toHaveLength(2);
});

test('a reported poll is shown with its options, which cover nothing else [POLL-12, MARKUP-25]', async () => {
  await render({ reported: 'Who?', options: ['Ann', `Z${'\u0301'.repeat(99)}`] });

  const items = container.querySelectorAll('[aria-label="Options of the poll"] li');
  expect([...items].map(({ textContent }) => textContent)).toEqual([
    'Ann',
    `Z${'\u0301'.repeat(10)}`,
  ]);
});

test('a PDF around the reported message has its title [MOD-52]', async () => {
  await render({ neighbor: { images: [pdf] } });

  expect(container.textContent).toContain('PDF: Sheet 3');
});
