import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';

/**
 * The URL of the enlarged picture. Opening adds a history entry, so that Back closes the overlay. Moving
 * between pictures adds none.
 */
export function useEnlargedPicture() {
  const { pathname, state } = useLocation();
  const navigate = useNavigate();
  const imageUrl = parsePictureId(state);
  const show = useCallback(
    (picture: string) =>
      void navigate(pathname, { state: { picture }, replace: imageUrl !== null }),
    [navigate, pathname, imageUrl],
  );
  const close = useCallback(() => void navigate(-1), [navigate]);
  return { imageUrl, show, close };
}

function parsePictureId(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('picture' in state)) return null;
  return typeof state.picture === 'string' ? state.picture : null;
}
