/** Events of your own types, with a schema that `session.append` checks. */

import { ContinuoError, isEventType } from "@continuo/core/model";

/** The part of Standard Schema that is used: zod, valibot and arktype have it. */
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

export interface DefinedEvent<Data> {
  readonly type: string;
  /** Returns the data as the schema gives it. `session.append` stores that. Errors: `invalid`. */
  parse(data: unknown): Promise<Data>;
  /**
   * True for an event of this type whose data was not removed. The data is not checked again: an event that was appended
   * with `store.append`, or with an older schema, may have other data. `parse` checks it.
   */
  is<Event extends CheckedEvent>(event: Event): event is Event & { readonly data: Data };
}

interface CheckedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly pruned?: unknown;
  readonly invalid?: unknown;
}

/** Errors: `usage` for a type of Continuo, a name that is not two words with a dot, and other characters. */
export function defineEvent<Input, Output>(
  name: string,
  schema: StandardSchema<Input, Output>,
): DefinedEvent<Output> {
  const problem = nameProblem(name);
  if (problem !== null) {
    throw new ContinuoError("usage", `cannot define the event ${JSON.stringify(name)}: ${problem}`, {
      hint: "Choose a name such as order.placed.",
    });
  }
  return {
    type: name,
    async parse(data) {
      const result = await schema["~standard"].validate(data);
      if (result.issues === undefined) return result.value;
      const message = result.issues.map((issue) => issue.message).join("; ");
      throw new ContinuoError("invalid", `the data of ${name} do not fit its schema: ${message}`, {
        details: { type: name },
      });
    },
    is(event): event is typeof event & { readonly data: Output } {
      return event.type === name && event.pruned === undefined && event.invalid === undefined;
    },
  };
}

function nameProblem(name: string): string | null {
  if (isEventType(name)) return "this is a type of Continuo";
  const words = name.split(".");
  if (words.length < 2 || words.includes("")) return "it needs two words and a dot";
  if (words.some((word) => !/^[a-z0-9_-]+$/iu.test(word))) {
    return "words have only letters, digits, `_` and `-`";
  }
  return /^[a-z]/iu.test(name) ? null : "it must begin with a letter";
}
