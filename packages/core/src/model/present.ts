/** Optional properties: a key without a value is left out, as `exactOptionalPropertyTypes` requires. */

type Present<T> = {
  readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/**
 * The same object without the keys whose value is `undefined`. Code that runs once per record or per row writes
 * `...(value === undefined ? {} : { value })` instead, which is faster.
 */
export function present<const T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}
