import { ConfigError } from './config.ts';

/** One line that says why the server does not start and what to do about it. */
export function startupFailure(error: unknown): string {
  if (error instanceof ConfigError) return `Cannot start: ${error.message}`;
  if (!(error instanceof Error)) return `Cannot start: ${String(error)}`;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return 'Cannot start: the port is taken. Stop what listens there, or set PORT to another one.';
  }
  if (code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo') {
    return 'Cannot start: HOST is no address of this machine. Set it to 127.0.0.1 or 0.0.0.0.';
  }
  if (code === 'EACCES' && syscall === 'listen') {
    return 'Cannot start: this user may not open that port. Set PORT to one above 1023.';
  }
  if (code && ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'SQLITE_CANTOPEN'].includes(code)) {
    return `Cannot start: the data folder cannot be written${path ? ` (${path})` : ''}. Set DATA_DIR to a folder that can.`;
  }
  if (code === 'SQLITE_BUSY') {
    return 'Cannot start: another server uses this data folder. Stop it, or set DATA_DIR to another folder.';
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return 'Cannot start: the database file in the data folder is damaged. Restore a backup of it.';
  }
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    return 'Cannot start: the database of DATABASE_URL does not answer. Start it, or correct the URL.';
  }
  if (error.name === 'NewerDatabase') {
    return 'Cannot start: a newer version of Backchannel has written this database. Install that version or a later one.';
  }
  if (error.name === 'WrongServerKey') {
    return 'Cannot start: this database belongs to another server key. Restore server.key in the data folder, or SECRET_KEY.';
  }
  return `Cannot start: ${error.message}`;
}
