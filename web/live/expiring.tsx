/** Pictures of the video that are removed within a day, with the button that keeps them. */

import type { ExpiringPictures } from "@continuo/core/wire";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { counted } from "../content/words.ts";
import type { LiveState } from "./live-state.ts";
import { mediaTime } from "./paths.ts";

/** The number of pictures whose times are listed. */
const NAMED_TIMES = 5;

export function Expiring({ state }: { state: LiveState }): VNode | null {
  const expiring = useSignal<ExpiringPictures>({ pictures: [], access: [] });
  const changes = state.expiringChanges.value;
  useEffect(() => {
    void state.readExpiring().then((read) => {
      if (read !== null) expiring.value = read;
    });
  }, [state, changes]);
  const { pictures, access } = expiring.value;
  if (pictures.length === 0) return null;
  const times = [...new Set(pictures.map(({ mediaTimeMs }) => mediaTime(mediaTimeMs)))];
  const named = times.slice(0, NAMED_TIMES).join(", ");
  return (
    <p class="notice">
      {counted(pictures.length, "picture")} ({named}
      {times.length > NAMED_TIMES ? ", …" : ""}) will be removed within a day.{" "}
      {access.includes("write") ? (
        <button type="button" onClick={() => void state.keep(pictures.map(({ hash }) => hash))}>
          Keep
        </button>
      ) : (
        "The panel of the browser extension keeps them."
      )}
    </p>
  );
}
