import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router';

/** React Router's location key of the initial page load. */
const initialKey = 'default';

/**
 * The heading of a screen. After navigation inside the app it takes the focus, so that a screen reader starts
 * reading at the new content.
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
  const mountKey = useRef(key);
  useLayoutEffect(() => {
    if (mountKey.current !== initialKey) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
