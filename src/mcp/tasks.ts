/** What the task lists of agents say is not done: `TodoWrite`, `update_plan`, `write_todos`, `todowrite`. Pure. */

import type { ToolCallBlock } from "../model/index.ts";

const LISTS = /^(?:todo_?write|write_todos|update_plan)$/iu;
const DONE = new Set(["completed", "complete", "done", "cancelled", "canceled"]);
const TEXTS = ["content", "step", "description", "title", "task"];
const MAX_TASKS = 100;

/** `null` where the call is no task list. Each call has the whole list. */
export function openTasksOf({ name, args }: Pick<ToolCallBlock, "name" | "args">): string[] | null {
  if (!LISTS.test(name)) return null;
  const list = [args.todos, args.plan, args.tasks].find((value) => Array.isArray(value));
  if (list === undefined) return null;
  return (list as readonly unknown[]).slice(0, MAX_TASKS).flatMap((task) => {
    if (typeof task !== "object" || task === null) return [];
    const fields = task as Readonly<Record<string, unknown>>;
    const text = TEXTS.map((key) => fields[key]).find((value) => typeof value === "string");
    return typeof text !== "string" || DONE.has(String(fields.status)) ? [] : [text];
  });
}
