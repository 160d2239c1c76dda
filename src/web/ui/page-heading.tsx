import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** React Router's key of the page that the browser itself loaded. */
const loaded = 'default';

/**
 * The heading of a screen. After going there inside the app the focus is on it, not on the link that
 * led there or on nothing, so that a screen reader reads on from where things are new.
 */
export function PageHeading({
  className,
  children,
}: {
  className?: string | undefined;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key } = useLocation();
  const arrivedBy = useRef(key);
  useLayoutEffect(() => {
    if (arrivedBy.current !== loaded) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
