/** Stands for an object that starts after the tests are declared: each access goes to the object that `getStarted` returns. */
export function defer<Type extends object>(getStarted: () => Type): Type {
  return new Proxy({} as Type, { get: (_, name) => getStarted()[name as keyof Type] });
}
