/** Reports how far a task of minutes is. */
export interface Progress {
  advance(): void;
  end(): void;
}

const linesPerTask = 5;

/** Prints one line that counts on a terminal, and a line for each fifth of the task into a file. */
export function createProgress(task: string, total: number, output = process.stdout): Progress {
  let count = 0;
  const formatLine = () => `  ${task}: ${count} of ${total}`;
  const report = () => {
    if (output.isTTY) output.write(`\r${formatLine()}`);
    else if (count % Math.ceil(total / linesPerTask) === 0 || count === total) {
      output.write(`${formatLine()}\n`);
    }
  };
  report();
  return {
    advance() {
      count += 1;
      report();
    },
    end() {
      if (output.isTTY) output.write('\n');
    },
  };
}
