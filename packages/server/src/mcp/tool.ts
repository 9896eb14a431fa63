/** The shape of a tool, and the arguments that several of them take. */

import { z } from "zod";
import type { Answer } from "./answer.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { ToolContext } from "./tool-context.ts";

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** When a model should call it, and its answer. */
  readonly description: string;
  /** True for a tool that does more than read. */
  readonly changes?: true;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The arguments as `input` has checked them. Errors: `ContinuoError`, which becomes an answer with the error. */
  call(args: Readonly<Record<string, unknown>>, context: ToolContext, signal: AbortSignal): Promise<Answer>;
}

interface TypedTool<Input extends z.ZodObject> extends Omit<Tool, "input" | "call"> {
  readonly input: Input;
  call(args: z.output<Input>, context: ToolContext, signal: AbortSignal): Promise<Answer>;
}

/** The server checks the arguments of a call by `input`. */
export function defineTool<Input extends z.ZodObject>(tool: TypedTool<Input>): Tool {
  return tool as unknown as Tool;
}

export function tokensInput(byDefault: number): z.ZodOptional<z.ZodNumber> {
  return z
    .number()
    .int()
    .min(200)
    .max(MCP_LIMITS.maxTokens)
    .optional()
    .describe(`size of the answer (default: ${byDefault})`);
}

export const maxTokensInput: z.ZodOptional<z.ZodNumber> = tokensInput(MCP_LIMITS.answerTokens);

export const sessionInput: z.ZodString = z
  .string()
  .min(1)
  .max(MCP_LIMITS.nameChars)
  .describe("a session as answers name it, or the beginning of its id");

export const offsetInput: z.ZodDefault<z.ZodNumber> = z
  .number()
  .int()
  .min(0)
  .max(1_000_000)
  .default(0)
  .describe("number of results to skip");
