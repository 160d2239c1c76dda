// Links and the browser's history for React Router. Its own `Link` and `BrowserRouter` share a module with forms, scroll
// restoration and prefetching, which no bundler can take apart: more than 3 kB on every screen.
import {
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  type Ref,
  startTransition,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react';
import {
  createPath,
  type Location,
  type NavigationType,
  Router,
  type To,
  UNSAFE_createBrowserHistory as createHistory,
  useHref,
  useLocation,
  useNavigate,
} from 'react-router';

interface Entry {
  location: Location;
  action: NavigationType;
}

/** Keeps the screen and the address of the page in step. */
export function BrowserRouter({ children }: { children: ReactNode }) {
  const [history] = useState(() => createHistory({ v5Compat: true }));
  const [{ location, action }, setEntry] = useState<Entry>(() => {
    return { location: history.location, action: history.action };
  });
  useLayoutEffect(() => {
    let currentScreen = toScreen(history.location);
    return history.listen(({ location: next, action: how }) => {
      const set = () => setEntry({ location: next, action: how });
      // A transition keeps the screen while the code of another one loads. Within a screen the next key already acts
      // on the new entry.
      if (toScreen(next) === currentScreen) set();
      else startTransition(set);
      currentScreen = toScreen(next);
    });
  }, [history]);
  return (
    <Router location={location} navigationType={action} navigator={history}>
      {children}
    </Router>
  );
}

function toScreen({ pathname }: Location): string {
  return pathname.split('/', 2).join('/');
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'target'> {
  /** An address of this site. */
  to: To;
  /** Replaces the history entry. A link to the current address always does. */
  replace?: boolean;
  /** The state of the new history entry. */
  state?: unknown;
  ref?: Ref<HTMLAnchorElement> | undefined;
}

/** A link to another screen, without loading the page again. */
export function Link({ to, replace, state, onClick, children, ...rest }: LinkProps) {
  const href = useHref(to);
  const navigate = useNavigate();
  const current = createPath(useLocation());
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    // The browser opens a new tab or window, or saves the target.
    if (event.metaKey || event.altKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void navigate(to, { replace: replace ?? href === current, state });
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}

/** The parameters in the page's address. */
export function useSearchParams(): URLSearchParams {
  const { search } = useLocation();
  return useMemo(() => new URLSearchParams(search), [search]);
}

/**
 * The parameters of a mailed link. They are in the fragment, which no browser sends, so the log of a proxy has no token. Links
 * that version 0.3.0 mailed have them in the query.
 */
export function useLinkParams(): URLSearchParams {
  const { hash, search } = useLocation();
  return useMemo(() => new URLSearchParams(hash ? hash.slice(1) : search), [hash, search]);
}
