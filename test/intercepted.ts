/** Objects, such as stores, some of whose methods a test replaces or observes. Their private fields keep working. */

/** Returns the object with `methods` in place of its own. */
export function withMethods<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (own, key) => {
      if (Object.hasOwn(methods, key)) return Reflect.get(methods, key);
      const value: unknown = Reflect.get(own, key, own);
      return typeof value === "function" ? value.bind(own) : value;
    },
  });
}

export interface Call {
  readonly method: string;
  readonly args: readonly unknown[];
  /** Calls the original method. */
  proceed(): unknown;
}

/**
 * Returns the object with `intercept` around each call of a method. The result of `intercept` becomes the result of the
 * call.
 */
export function withCalls<T extends object>(target: T, intercept: (call: Call) => unknown): T {
  return new Proxy(target, {
    get: (own, key) => {
      const value: unknown = Reflect.get(own, key, own);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        intercept({
          method: String(key),
          args,
          proceed: () => Reflect.apply(value, own, args) as unknown,
        });
    },
  });
}
