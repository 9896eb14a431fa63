/** Operations of people on the items of a page, as events. */

import { ContinuoError, type NewEvent, type Store } from "@continuo/core/model";
import { type PageChange, type PageItem, type PageOperation, pageItemsOf } from "@continuo/core/wire";
import { isFields, LIMITS } from "../kit/index.ts";
import type { LiveFold } from "../state/index.ts";
import { readPageBefore } from "./read-page.ts";

/** Errors: `invalid`. */
export function parsePageOperation(body: unknown): PageOperation {
  const { operation, text, title } = isFields(body) ? body : {};
  if (operation === "accept" || operation === "remove" || operation === "undo") return { operation };
  const isEdit =
    operation === "edit" &&
    isText(text, LIMITS.pageItemChars) &&
    (title === undefined || isText(title, LIMITS.nameLength));
  if (isEdit) return { operation, text, ...(title === undefined ? {} : { title: title as string }) };
  throw new ContinuoError("invalid", "this is no operation on an item of the page", {
    hint: "See docs/live.md for the operations.",
  });
}

/** Errors: `not_found`; `conflict` if nothing can be undone; `too_large` if people changed too many items. */
export async function pageOperationEvent(
  store: Store,
  { sessionId, fold }: { readonly sessionId: string; readonly fold: LiveFold },
  { itemId, operation }: { readonly itemId: string; readonly operation: PageOperation },
): Promise<NewEvent> {
  const { written, changes } = await readPageBefore(store, sessionId, fold);
  const isChanged = changes.some((change) => change.itemId === itemId);
  if (operation.operation === "undo") {
    if (isChanged) return changed({ itemId, operation: "undo", item: null });
    throw new ContinuoError("conflict", `the item ${itemId} has no change that can be undone`, {
      details: { itemId },
    });
  }
  const item = pageItemsOf(written, changes).find((one) => one.itemId === itemId);
  if (item === undefined) {
    throw new ContinuoError("not_found", `the page has no item ${itemId}`, { details: { itemId } });
  }
  if (!isChanged && changes.length >= LIMITS.pageChanges) {
    throw new ContinuoError("too_large", `people changed ${LIMITS.pageChanges} items of the page`, {
      details: { limit: LIMITS.pageChanges },
    });
  }
  return changed({ itemId, operation: operation.operation, item: itemAfter(item, operation) });
}

function itemAfter(item: PageItem, operation: PageOperation): PageItem {
  if (operation.operation === "accept") return { ...item, by: "person", status: "accepted" };
  if (operation.operation !== "edit") return { ...item, by: "person" };
  const { text, title = item.title } = operation;
  return { ...item, text, title: item.kind === "chapter" ? title : null, by: "person" };
}

function changed({ itemId, operation, item }: PageChange): NewEvent {
  const data = { itemId, operation, ...(item === null ? {} : { item }) };
  return { type: "page_changed", data, actor: { kind: "person" } };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= most;
}
