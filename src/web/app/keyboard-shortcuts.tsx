import { useEffect, useEffectEvent, useState } from 'react';
import { useMatch, useNavigate } from 'react-router';
import { useLive } from '#web/app/live-provider.tsx';
import { useClasses } from '#web/data/classes.ts';
import { useSettings } from '#web/data/settings.ts';
import { shortcutsDialog } from '#web/features/shortcuts/shortcuts-button.tsx';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { getShortcutKey, isComposing, isShortcut, isTextEntry } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer } from '#web/ui/use-escape.ts';

const classSwitcher = createPreloadedModule(
  () => import('#web/features/class-list/class-switcher.tsx'),
);

type Shortcut = 'switcher' | 'shortcuts' | 'previous' | 'next';

function findShortcut(event: KeyboardEvent): Shortcut | null {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (isShortcut(event, 'k')) return 'switcher';
  if (isShortcut(event, '/')) return 'shortcuts';
  if (ctrlKey || metaKey || isComposing(event)) return null;
  if (isQuestionMark(event)) return 'shortcuts';
  if (!altKey || shiftKey) return null;
  if (key === 'ArrowUp') return 'previous';
  return key === 'ArrowDown' ? 'next' : null;
}

function isQuestionMark(event: KeyboardEvent): boolean {
  return !event.altKey && getShortcutKey(event) === '?' && !isTextEntry(event.target);
}

/** Listens for the shortcuts that work on every screen behind sign-in, and shows their dialogs. */
export function KeyboardShortcuts() {
  const [openDialog, setOpenDialog] = useState<'switcher' | 'shortcuts' | null>(null);
  const live = useLive();
  const { characterKeys } = useSettings();
  const navigate = useNavigate();
  const classes = useClasses().data;
  const isModerating = useMatch('/moderation/*') !== null;
  const openId = useMatch('/home/:classId')?.params.classId ?? null;

  const step = (distance: 1 | -1): boolean => {
    const index = classes?.findIndex(({ classId }) => classId === openId) ?? -1;
    const next = index < 0 ? undefined : classes?.[index + distance];
    if (next) void navigate(`/home/${next.classId}`);
    return index >= 0;
  };
  const perform = (shortcut: Shortcut): boolean => {
    const isOpen = openDialog === shortcut;
    if (hasOpenLayer() && !isOpen) return false;
    switch (shortcut) {
      case 'switcher':
      case 'shortcuts':
        setOpenDialog(isOpen ? null : shortcut);
        return true;
      case 'previous':
        return step(-1);
      case 'next':
        return step(1);
    }
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (characterKeys === 'off' && isQuestionMark(event)) return;
    const shortcut = findShortcut(event);
    if (!shortcut || !perform(shortcut)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    // Captures, because a key on a message moves to the composer.
    window.addEventListener('keydown', handleKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', handleKeyDown, { capture: true });
  }, []);

  const close = () => setOpenDialog(null);
  if (openDialog === 'switcher') {
    return (
      <OnDemand code={classSwitcher} onFailure={close}>
        {({ ClassSwitcher }) => <ClassSwitcher openId={openId} live={live} onClose={close} />}
      </OnDemand>
    );
  }
  return (
    openDialog === 'shortcuts' && (
      <OnDemand code={shortcutsDialog} onFailure={close}>
        {({ ShortcutsDialog }) => <ShortcutsDialog isModerating={isModerating} onClose={close} />}
      </OnDemand>
    )
  );
}
