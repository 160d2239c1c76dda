import { useLocation, useNavigate } from 'react-router';
import { useIsNarrow } from '#web/ui/use-media-query.ts';

const pane = { pane: 'class-list' };

/**
 * Whether the class list covers the chat on a narrow screen. Opening it adds a history entry, so Back closes
 * it. Without a selected class the list is always open.
 */
export function useClassListPane() {
  const { pathname, state } = useLocation();
  const navigate = useNavigate();
  const isHome = pathname === '/home';
  const isInState =
    typeof state === 'object' && state !== null && 'pane' in state && state.pane === pane.pane;
  const open = isHome || isInState;
  /** The icon bar is only the button in the header of the room. */
  const isBarFolded = useIsNarrow() && pathname.startsWith('/home/') && !open;
  const toggle = () => {
    if (isHome) return;
    if (open) void navigate(-1);
    else void navigate(pathname, { state: pane });
  };
  return { open, isBarFolded, toggle };
}
