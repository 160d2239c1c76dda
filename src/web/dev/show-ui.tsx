// Shows every token and primitive on one page. `npm run dev` serves it at /dev/ui. The build starts from
// index.html and leaves it out.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { MemoryRouter } from 'react-router';
import { applyTheme } from '#web/data/school-theme.ts';
import { UiPage } from '#web/dev/ui-page.tsx';
import { PlainPage } from '#web/ui/plain-page.tsx';
import '#web/ui/tokens.css';
import '#web/ui/base.css';
import '#web/ui/shared.css';

const parameters = new URLSearchParams(location.search);
const theme = parameters.get('theme') ?? 'default';
const look = parameters.get('look') ?? 'light dark';

async function show(page: HTMLElement): Promise<void> {
  const root = createRoot(page);
  document.documentElement.style.colorScheme = look;
  root.render(<PlainPage text="Loading theme..." />);
  const { logoUrl } = await applyTheme(theme);
  root.render(
    <StrictMode>
      <MemoryRouter>
        <UiPage theme={theme} look={look} logoUrl={logoUrl ?? null} />
      </MemoryRouter>
    </StrictMode>,
  );
}

const page = document.getElementById('root');
if (page) void show(page);
