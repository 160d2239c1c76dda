/** The server or a command cannot start. The message gives the reason and what to do. */
export class StartupError extends Error {
  override name = 'StartupError';
}

/**
 * @param doing the verb that the message names
 * @returns a one-line message for the terminal
 */
export function toStartupFailure(error: unknown, doing = 'start'): string {
  return `Cannot ${doing}: ${toFailureReason(error)}`;
}

/** The code of an error of Node, SQLite or PostgreSQL, such as 'ENOENT'; '' if it has none. */
export function getErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** The reason for a failure, in one line. */
export function toFailureReason(error: unknown): string {
  return toReason(error).split('\n')[0] ?? '';
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = getErrorCode(error);
  const { syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return 'the port is in use. Stop the other program, or set PORT to another port.';
  }
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') {
    return 'HOST is not an address of this machine. Set it to 127.0.0.1 or 0.0.0.0.';
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return 'this user cannot open that port. Set PORT to one above 1023.';
  }
  return error.message;
}
