/** Events of your own types, with a schema that is checked when one is appended. */

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
  /** Errors: `invalid`. */
  parse(data: unknown): Promise<Data>;
  /** True for an event of this type. Its data were checked when it was appended. */
  is<Event extends { readonly type: string; readonly data: unknown }>(
    event: Event,
  ): event is Event & { readonly data: Data };
}

const NAME = /^[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+$/iu;

/** Errors: `usage` for a name without a dot, or a type of Continuo. */
export function defineEvent<Input, Output>(
  name: string,
  schema: StandardSchema<Input, Output>,
): DefinedEvent<Output> {
  if (!NAME.test(name) || isEventType(name)) {
    throw new ContinuoError(
      "usage",
      `cannot define the event ${JSON.stringify(name)}: it needs two words and a dot`,
      {
        hint: "Choose a name such as order.placed.",
      },
    );
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
      return event.type === name && event.data !== null;
    },
  };
}
