/** Shown in place of the rows if there are none: they are being read, or the reason, and a next step. */

import { AGENT_LABELS } from "@continuo/core/model";
import type { VNode } from "preact";
import { counted } from "../content/words.ts";
import { filters, isStale, loading, setFilters, unsearched } from "../list/list-state.ts";
import { listLink, NO_FILTERS } from "../state/sessions.ts";

export function NoSessions(): VNode {
  if (!loading.value && !isStale.value) return <Empty />;
  const left = unsearched.value;
  return <p class="empty">{left ? `Reading ${counted(left, "session")}…` : "Reading…"}</p>;
}

function Empty(): VNode {
  const { shown, sort } = filters.value;
  const isFiltered = listLink(filters.value) !== listLink({ ...NO_FILTERS, shown, sort });
  if (isFiltered) {
    return (
      <div class="empty">
        <p>No session matches.</p>
        <button type="button" onClick={() => setFilters({ ...NO_FILTERS, shown, sort })}>
          Clear the filters
        </button>
      </div>
    );
  }
  if (shown === "deleted") return <p class="empty">The trash is empty.</p>;
  if (shown === "channels") return <p class="empty">No session is in a channel.</p>;
  if (shown === "live") return <p class="empty">No continuous session is kept here.</p>;
  if (shown === "archived") return <p class="empty">No session is archived.</p>;
  return (
    <div class="empty">
      <p>No sessions yet.</p>
      <p class="dim">
        Sessions of {Object.values(AGENT_LABELS).join(", ")} appear here. See what one looks like:{" "}
        <code>continuo list --examples</code>
      </p>
    </div>
  );
}
