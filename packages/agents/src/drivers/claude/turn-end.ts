/** The `result` line that ends a turn. Pure. Seen in 2.1.330. */

import type { Usage } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { usageOf } from "@continuo/native/claude";

export type TurnEnd =
  | {
      readonly type: "completed";
      readonly stopReason: string;
      readonly usage: Usage | null;
      readonly costUsd: number | null;
    }
  | { readonly type: "failed"; readonly why: string; readonly details: Json };

/**
 * An interrupted turn has `terminal_reason: aborted_streaming` or `aborted_tools`, with any subtype. If the model
 * refuses, the line has `is_error`, with the subtype of success. A limit of the caller gives `error_max_turns` or
 * similar, and is an ordinary end.
 */
export function endingOf(result: Json): TurnEnd {
  const usage = usageOf(result);
  const costUsd = costOf(result);
  const subtype = textField(result, "subtype") ?? "";
  if (textField(result, "terminal_reason")?.startsWith("aborted") === true) {
    return { type: "completed", stopReason: "cancelled", usage, costUsd };
  }
  if (subtype.startsWith("error_max_")) {
    return { type: "completed", stopReason: subtype.slice("error_".length), usage, costUsd };
  }
  if (result.is_error === true || subtype !== "success") {
    const { api_error_status: status, terminal_reason: reason } = result;
    return { type: "failed", why: whyOf(result), details: { subtype, status, reason } };
  }
  const stopReason = textField(result, "stop_reason") ?? "end_turn";
  return { type: "completed", stopReason, usage, costUsd };
}

/** Returns `errors`, or the text that replaces the answer. */
export function whyOf(result: Json): string {
  const errors = Array.isArray(result.errors) ? result.errors.filter((one) => typeof one === "string") : [];
  return errors.length > 0 ? errors.join("; ") : (textField(result, "result") ?? "it does not say why");
}

/** Returns the cost of this turn only; `total_cost_usd` is the sum over turns and resumptions. */
function costOf(result: Json): number | null {
  const { model_usage_since_last_result: models } = result;
  if (!isJson(models)) return null;
  let sum = 0;
  for (const model of Object.values(models)) {
    if (isJson(model) && typeof model.costUSD === "number") sum += model.costUSD;
  }
  return sum;
}
