/** The server or one of its commands cannot start, and the message says why and what to do about it. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/** One line for whoever starts the server, or does something else. */
export function startupFailure(error: unknown, doing = 'start'): string {
  return `Cannot ${doing}: ${failureReason(error)}`;
}

/** What went wrong, in one line. */
export function failureReason(error: unknown): string {
  return reasonOf(error).split('\n')[0] ?? '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return 'the port is taken. Stop what listens there, or set PORT to another one.';
  }
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') {
    return 'HOST is no address of this machine. Set it to 127.0.0.1 or 0.0.0.0.';
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return 'this user may not open that port. Set PORT to one above 1023.';
  }
  return error.message;
}
