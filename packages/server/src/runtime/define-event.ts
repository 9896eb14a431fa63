/**
 * Events of your own types, with a schema that `session.append` checks. A type whose data change gets a version: the
 * stored events stay as they are, and are converted to the newest version when they are read. The version is part of
 * the stored type, so that a program that knows only an older version does not read new data as data of that version.
 */

import {
  assertKnownOptions,
  ContinuoError,
  isContinuoError,
  isEventType,
  type KnownEvent,
  type KnownOptions,
  type StoredEvent,
} from "@continuo/core/model";

/** The used part of Standard Schema, which zod, valibot and arktype implement. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

export interface DefinedEvent<Data, Type extends string = string> {
  /** The stored type of the newest version: the name, and from version 2 `NAME.vN`. */
  readonly type: Type;
  /** The stored types of all versions, oldest first: for `types` of `store.read` and `store.tail`. */
  readonly types: readonly string[];
  /** Returns the data in the form that the schema returns. `session.append` stores that form. Errors: `invalid`. */
  parse(data: unknown): Promise<Data>;
  /**
   * True for an event of the newest version whose data was not removed. The data is not checked again: an event that
   * was appended with `store.append` may have other data. `parse` checks it.
   */
  is<Event extends CheckedEvent>(event: Event): event is Event & { readonly data: Data };
  /**
   * Returns an event of any version with the data of the newest one, and `null` for another type or removed data. The
   * data of an older version pass through its upcasters and then through the schema. Errors: `invalid` if the result
   * does not fit the schema.
   */
  read<Event extends CheckedEvent>(event: Event): Promise<(Event & { readonly data: Data }) | null>;
}

export interface DefineEventOptions<Version extends number = number> {
  /** The version of the data that the schema describes; 1 by default. */
  readonly version?: Version;
  /** For each earlier version, a function that converts its data to the next version. */
  readonly upcasters?: Readonly<Record<number, (data: never) => unknown>>;
}

const OPTIONS: KnownOptions<DefineEventOptions> = { version: true, upcasters: true };

/** `order.placed`, and from version 2 `order.placed.v2`. */
type VersionedName<Name extends string, Version extends number> = number extends Version
  ? string
  : Version extends 1
    ? Name
    : `${Name}.v${Version}`;

/** An event of your own in a stream that includes its type. */
export type OwnEvent<Defined> =
  Defined extends DefinedEvent<infer Data, infer Type> ? StoredEvent<Data> & { readonly type: Type } : never;

/** Types whose events a stream has, besides those of Continuo. */
export type IncludedTypes = readonly DefinedEvent<unknown>[];

/** An event of Continuo, or of one of the included types; `type` tells which. */
export type EventOf<Own extends IncludedTypes> = KnownEvent | OwnEvent<Own[number]>;

/**
 * Returns the event in the newest form of its type, which then has the type of that version. `null` for an event that is
 * of none of these types, that was removed, or whose data do not fit.
 */
export async function ownEventOf(
  event: StoredEvent,
  types: readonly DefinedEvent<unknown>[],
): Promise<OwnEvent<DefinedEvent<unknown>> | null> {
  const defined = types.find((one) => one.types.includes(event.type));
  try {
    const read = (await defined?.read(event)) ?? null;
    return read === null || defined === undefined ? null : { ...read, type: defined.type };
  } catch (error) {
    if (isContinuoError(error, "invalid")) return null;
    throw error;
  }
}

interface CheckedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly pruned?: unknown;
  readonly invalid?: unknown;
}

/**
 * Errors: `usage` for a type of Continuo, a name that is not at least two words with dots, a word with characters that
 * are not allowed, an earlier version without an upcaster, and an unknown option.
 */
export function defineEvent<
  Input,
  Output,
  const Name extends string = string,
  const Version extends number = 1,
>(
  name: Name,
  schema: StandardSchema<Input, Output>,
  options: DefineEventOptions<Version> = {},
): DefinedEvent<Output, VersionedName<Name, Version>> {
  assertKnownOptions("defineEvent", options, OPTIONS);
  const problem = nameProblem(name);
  if (problem !== null) throw undefinable(name, problem, "Choose a name such as order.placed.");
  const upcasters = upcastersOf(name, options);
  const types = [name, ...upcasters.map((_, index) => `${name}.v${index + 2}`)];
  const type = (types.at(-1) ?? name) as VersionedName<Name, Version>;
  const parse = async (data: unknown): Promise<Output> => {
    const result = await schema["~standard"].validate(data);
    if (result.issues === undefined) return result.value;
    const message = result.issues.map((issue) => issue.message).join("; ");
    throw new ContinuoError("invalid", `the data of ${type} do not fit its schema: ${message}`, {
      details: { type },
    });
  };
  const is = <Event extends CheckedEvent>(event: Event): event is Event & { readonly data: Output } =>
    event.type === type && isWhole(event);
  return {
    type,
    types,
    parse,
    is,
    async read(event) {
      if (is(event)) return event;
      const index = types.indexOf(event.type);
      if (index === -1 || !isWhole(event)) return null;
      const upcast = upcasters.slice(index).reduce((data: unknown, step) => step(data as never), event.data);
      return { ...event, data: await parse(upcast) };
    },
  };
}

function isWhole({ pruned, invalid }: CheckedEvent): boolean {
  return pruned === undefined && invalid === undefined;
}

function undefinable(name: string, problem: string, hint: string): ContinuoError {
  return new ContinuoError("usage", `cannot define the event ${JSON.stringify(name)}: ${problem}`, { hint });
}

/** One function for each earlier version, oldest first. Errors: `usage`. */
function upcastersOf(
  name: string,
  { version = 1, upcasters = {} }: DefineEventOptions,
): readonly ((data: never) => unknown)[] {
  if (!Number.isSafeInteger(version) || version < 1) {
    throw undefinable(name, "its version must be a whole number from 1", "Choose 1 for the first version.");
  }
  const late = Object.keys(upcasters).find((from) => !(Number(from) >= 1 && Number(from) < version));
  if (late !== undefined) {
    const hint = `Give a \`version\` above ${late}, or leave the upcaster out.`;
    throw undefinable(name, `the upcaster of version ${late} is not before version ${version}`, hint);
  }
  return Array.from({ length: version - 1 }, (_, index) => {
    const step = upcasters[index + 1];
    if (typeof step === "function") return step;
    const hint = `Add a function to \`upcasters\` under the key ${index + 1}.`;
    throw undefinable(name, `version ${index + 1} has no upcaster`, hint);
  });
}

function nameProblem(name: string): string | null {
  if (isEventType(name)) return "this is a type of Continuo";
  const words = name.split(".");
  if (words.length < 2 || words.includes("")) return "it needs two words and a dot";
  if (words.some((word) => !/^[a-z0-9_-]+$/iu.test(word))) {
    return "a word may contain only letters, digits, `_` and `-`";
  }
  if (/\.v\d+$/iu.test(name)) return "its last word has the form of a version";
  return /^[a-z]/iu.test(name) ? null : "it must begin with a letter";
}
