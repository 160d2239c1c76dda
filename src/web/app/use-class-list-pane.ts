import { useLocation, useNavigate } from 'react-router';
import { useIsNarrow } from '#web/ui/use-media-query.ts';

/** The state of a redirection to /home from a link that leads nowhere. */
export interface HomeState {
  missing: 'class' | 'page';
}

const pane = { pane: 'class-list' };

/**
 * Whether the class list covers the chat on a narrow screen. Opening it adds a history entry, so Back closes
 * it. Without a selected class the list is always open.
 */
export function useClassListPane() {
  const { pathname, state } = useLocation();
  const navigate = useNavigate();
  const { missing, pane: shownPane } = (state ?? {}) as Partial<HomeState & typeof pane>;
  const isHome = pathname === '/home' && !missing;
  const isInState = shownPane === pane.pane;
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
