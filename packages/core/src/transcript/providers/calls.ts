/** The ids and names of calls, and the definitions of their tools, as an API accepts them. */

import type { KnownOptions, ToolDefinition } from "../../model/index.ts";

export interface FormOptions {
  /** The definitions of the tools, such as `metadata.tools` of a transcript. */
  readonly tools?: readonly ToolDefinition[] | undefined;
}

export const FORM_OPTIONS: KnownOptions<FormOptions> = { tools: true };

export interface CallRules {
  readonly id: RegExp;
  readonly longestName: number;
}

export interface CallWords {
  id(id: string): string;
  name(name: string): string;
}

/** An id that the API refuses gets another one, the same for the call and its result. */
export function createCallWords(rules: CallRules): CallWords {
  const others = new Map<string, string>();
  return {
    id(id) {
      if (rules.id.test(id)) return id;
      const known = others.get(id);
      if (known !== undefined) return known;
      const other = `call_of_session_${others.size + 1}`;
      others.set(id, other);
      return other;
    },
    name: (name) => name.replaceAll(/[^\w-]/gu, "_").slice(0, rules.longestName) || "tool",
  };
}

export interface FormTool {
  readonly name: string;
  readonly description?: string;
  /** A JSON Schema of an object, which every API requires. */
  readonly schema: { readonly type: "object"; readonly [key: string]: unknown };
}

/** The definitions with the names that their calls have. A later one replaces an earlier one of the same name. */
export function formTools({ tools = [] }: FormOptions, words: Pick<CallWords, "name">): readonly FormTool[] {
  const made = new Map<string, FormTool>();
  for (const { name, description, inputSchema } of tools) {
    const schema = { ...(inputSchema ?? { properties: {} }), type: "object" as const };
    const own = words.name(name);
    made.set(own, { name: own, ...(description === undefined ? {} : { description }), schema });
  }
  return [...made.values()];
}
