/** An object that starts after the tests are declared: each access goes to the one that runs. */
export function defer<Type extends object>(read: () => Type): Type {
  return new Proxy({} as Type, { get: (_, name) => read()[name as keyof Type] });
}
