// The environment of the servers and commands that tests start: nothing of the test run's own settings.
export type Settings = Readonly<Record<string, string | undefined>>;

/** What a child process inherits. `npm test` gives all of them one folder for compiled code. */
const inherited = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];

export function createChildEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const inheritedEntries = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inheritedEntries), ENV_FILE: 'none', ...settings };
}
