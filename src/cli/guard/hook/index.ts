/**
 * `continuo guard hook`, which agents call at each prompt.
 *
 * Promises: it never fails, and writes nothing that an agent would treat as an answer, unless there is an answer.
 * Does not know: the other commands of the guard, so that none of them is loaded at each prompt.
 */

export { type HookFlags, runHook } from "./hook.ts";
