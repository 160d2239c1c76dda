// A child process imports this to end when its parent is gone, also if the parent was killed: its standard input ends then.
process.stdin.on('close', () => process.exit()).resume();
