// A child process imports this file to end when its parent ends or is killed, because its standard input then closes.
process.stdin.on('close', () => process.exit()).resume();
