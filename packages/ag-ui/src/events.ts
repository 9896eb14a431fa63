/** The events of the protocol as they are sent; their types are plain strings. */

import type { Event, Interrupt, Message, ToolCall } from "@ag-ui/core";

type WithLiteralType<One> = One extends { readonly type: infer Type extends string }
  ? Omit<One, "type"> & { readonly type: `${Type}` }
  : never;

export type AgUiEvent = WithLiteralType<Event>;

export type { Interrupt, Message, ToolCall };
